using System;
using System.Net.Http;

namespace Heliograph
{
    /// <summary>How a client differs from the defaults.</summary>
    public sealed class HeliographOptions
    {
        /// <summary>How long one attempt may take.</summary>
        public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

        /// <summary>How long a call may take with all its attempts and the waiting between them.</summary>
        public TimeSpan Deadline { get; init; } = TimeSpan.FromSeconds(90);

        /// <summary>Attempts after the first.</summary>
        public int MaxRetries { get; init; } = 4;

        /// <summary>With proxies, certificates or handlers of your own. It has to follow no redirects, and have no Timeout of its own; it is not disposed.</summary>
        public HttpClient? HttpClient { get; init; }
    }

    /// <summary>The service, by resource and operation. One serves any number of threads, for as long as the program runs.</summary>
    public sealed class HeliographClient : Resources, IDisposable
    {
        public const string Version = "0.1.0";

        private readonly HttpClient? _own;

        /// <summary>Fails with an ArgumentException for a key or an address that cannot work.</summary>
        /// <param name="apiKey">A secret key (sk_…), or a public one for the few operations that take it.</param>
        /// <param name="baseUrl">Where the service is, such as https://push.example.com.</param>
        public HeliographClient(string apiKey, string baseUrl, HeliographOptions? options = null)
            : this(apiKey, baseUrl, options ?? new HeliographOptions(), options?.HttpClient == null ? Make() : null)
        {
        }

        private HeliographClient(string apiKey, string baseUrl, HeliographOptions options, HttpClient? own)
            : base(new Transport(apiKey, baseUrl, options, options.HttpClient ?? own!)) => _own = own;

        public void Dispose() => _own?.Dispose();

        private static HttpClient Make() =>
            new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, PooledConnectionLifetime = TimeSpan.FromMinutes(5) })
            {
                Timeout = System.Threading.Timeout.InfiniteTimeSpan,
            };
    }
}
