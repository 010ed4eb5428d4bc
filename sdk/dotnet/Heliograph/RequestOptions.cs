using System;
using System.Collections.Generic;

namespace Heliograph
{
    /// <summary>For one call, in place of what the client has.</summary>
    public sealed class RequestOptions
    {
        /// <summary>How long one attempt may take.</summary>
        public TimeSpan? Timeout { get; init; }

        /// <summary>How long the call may take with all its attempts and the waiting between them.</summary>
        public TimeSpan? Deadline { get; init; }

        /// <summary>Attempts after the first.</summary>
        public int? MaxRetries { get; init; }

        /// <summary>One is made for every call that takes it. Give your own to make calls of different processes one.</summary>
        public string? IdempotencyKey { get; init; }

        /// <summary>Such as X-Identity-Hash.</summary>
        public IReadOnlyDictionary<string, string>? Headers { get; init; }
    }
}
