using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Heliograph
{
    /// <summary>What an operation asks.</summary>
    internal sealed class Call
    {
        internal string Method { get; init; } = "GET";

        internal string Path { get; init; } = "";

        internal Shape? Body { get; init; }

        internal Shape? Query { get; init; }

        internal string? Cursor { get; init; }

        internal bool TakesKey { get; init; }

        internal RequestOptions? Options { get; init; }
    }

    /// <summary>How calls are made, tried again, and read.</summary>
    internal sealed class Transport
    {
        private const double FirstWait = 0.25;
        private const double LongestWait = 20;
        // What cannot be waited for is as good as this, and can be added to.
        private static readonly TimeSpan LongestAsked = TimeSpan.FromDays(36500);

        private const string JsonType = "application/json";
        private const string LinesType = "application/x-ndjson";

        // A part of an import has at most so many lines, and about so many bytes.
        private const int LinesOfAPart = 2000;
        private const int BytesOfAPart = 1024 * 1024;

        private readonly string _authorization;
        private readonly string _base;
        private readonly HeliographOptions _defaults;
        private readonly HttpClient _http;

        internal Transport(string apiKey, string baseUrl, HeliographOptions defaults, HttpClient http)
        {
            if (string.IsNullOrEmpty(apiKey) || !apiKey.All(c => c >= '!' && c <= '~'))
            {
                throw new ArgumentException("A key as it was shown: sk_… or pk_…", nameof(apiKey));
            }
            bool isUrl = Uri.TryCreate(baseUrl, UriKind.Absolute, out Uri? url);
            if (!isUrl || (url!.Scheme != "http" && url.Scheme != "https") || url.UserInfo != "")
            {
                throw new ArgumentException("The address of the service, such as https://push.example.com", nameof(baseUrl));
            }
            _authorization = (apiKey.StartsWith("pk_", StringComparison.Ordinal) ? "Public " : "ApiKey ") + apiKey;
            _base = url.GetLeftPart(UriPartial.Path).TrimEnd('/');
            _defaults = defaults;
            _http = http;
        }

        /// <summary>An id as one part of a path.</summary>
        internal static string Segment(string name, string value)
        {
            // Empty, it would make another address of it, that of the list; dots lead elsewhere, percent-encoded too.
            if (string.IsNullOrEmpty(value) || value == "." || value == "..")
            {
                throw new ArgumentException($"It must not be \"{value}\"", name);
            }
            return Uri.EscapeDataString(value);
        }

        internal Task<T> ValueAsync<T>(Call call, Func<IDictionary<string, object?>, T> read, CancellationToken token)
        {
            byte[]? content = call.Body == null ? null : Json.Write(call.Body);
            string key = KeyOf(call);
            return AttemptsAsync(
                call,
                async (left, cancel) => read(Decode(await WholeAsync(() => Request(call, JsonType, JsonType, content, key), left, cancel).ConfigureAwait(false))),
                token);
        }

        internal Pages<T> Pages<T>(Call call, Func<IDictionary<string, object?>, T> read) => new Pages<T>((cursor, token) =>
        {
            var asked = new Call { Method = call.Method, Path = call.Path, Query = call.Query, Cursor = cursor, Options = call.Options };
            return ValueAsync(
                asked,
                fields => PageOf(fields, read),
                token);
        });

        private static Page<T> PageOf<T>(IDictionary<string, object?> fields, Func<IDictionary<string, object?>, T> read)
        {
            if (fields.TryGetValue("data", out object? data)
                && data is List<object?> items
                && items.All(item => item is IDictionary<string, object?>)
                && fields.TryGetValue("next_cursor", out object? next)
                && (next == null || next is string))
            {
                return new Page<T>(items.Select(item => read((IDictionary<string, object?>)item!)).ToList(), (string?)next);
            }
            throw new HeliographConnectionException("The answer is not the service's: it is no page of a list");
        }

        internal async IAsyncEnumerable<T> LinesAsync<T>(Call call, Func<IDictionary<string, object?>, T> read, [EnumeratorCancellation] CancellationToken token)
        {
            // Only the beginning has to come in time: the lines take as long as they are many.
            using HttpResponseMessage response = await AttemptsAsync(
                call,
                (left, cancel) => WithinAsync(left, cancel, inTime => ReceiveAsync(Request(call, LinesType, JsonType, null, ""), inTime)),
                token).ConfigureAwait(false);
            using Stream body = await response.Content.ReadAsStreamAsync().ConfigureAwait(false);
            var rest = new MemoryStream();
            var buffer = new byte[64 * 1024];
            while (true)
            {
                int count;
                try
                {
                    count = await body.ReadAsync(buffer.AsMemory(), token).ConfigureAwait(false);
                }
                catch (Exception cause) when (cause is IOException || cause is HttpRequestException)
                {
                    throw new HeliographConnectionException("The answer broke off before its end", cause);
                }
                if (count == 0)
                {
                    break;
                }
                int at = 0;
                for (int end; (end = Array.IndexOf(buffer, (byte)'\n', at, count - at)) >= 0; at = end + 1)
                {
                    rest.Write(buffer, at, end - at);
                    if (rest.Length > 0)
                    {
                        yield return read(Decode(rest.ToArray()));
                    }
                    rest.SetLength(0);
                }
                rest.Write(buffer, at, count - at);
            }
            if (rest.Length > 0)
            {
                throw new HeliographConnectionException("The answer broke off in the middle of a line");
            }
        }

        /// <summary>Each part is a call of its own, which can be repeated; results are numbered on from part to part.</summary>
        internal async IAsyncEnumerable<T> SendLinesAsync<T>(
            Call call,
            IAsyncEnumerable<Shape> lines,
            Func<IDictionary<string, object?>, T> read,
            [EnumeratorCancellation] CancellationToken token)
        {
            long sent = 0;
            await foreach ((byte[] content, int count) in PartsAsync(lines, token).ConfigureAwait(false))
            {
                string key = KeyOf(call);
                List<IDictionary<string, object?>> results = await AttemptsAsync(
                    call,
                    async (left, cancel) => ResultsOf(await WholeAsync(() => Request(call, LinesType, LinesType, content, key), left, cancel).ConfigureAwait(false)),
                    token).ConfigureAwait(false);
                foreach (IDictionary<string, object?> result in results)
                {
                    result["line"] = (long)result["line"]! + sent;
                    yield return read(result);
                }
                sent += count;
            }
        }

        private static async IAsyncEnumerable<(byte[] Content, int Count)> PartsAsync(IAsyncEnumerable<Shape> lines, [EnumeratorCancellation] CancellationToken token)
        {
            var part = new MemoryStream();
            int count = 0;
            await foreach (Shape line in lines.WithCancellation(token).ConfigureAwait(false))
            {
                part.Write(Json.Write(line));
                part.WriteByte((byte)'\n');
                count++;
                if (count >= LinesOfAPart || part.Length >= BytesOfAPart)
                {
                    yield return (part.ToArray(), count);
                    part.SetLength(0);
                    count = 0;
                }
            }
            if (count > 0)
            {
                yield return (part.ToArray(), count);
            }
        }

        private static string KeyOf(Call call)
        {
            string key = call.Options?.IdempotencyKey ?? Guid.NewGuid().ToString();
            if (key.Length < 1 || key.Length > 255 || !key.All(c => c >= '!' && c <= '~'))
            {
                throw new ArgumentException("The idempotency key must be 1 to 255 printable ASCII characters without spaces");
            }
            return call.TakesKey ? key : "";
        }

        private HttpRequestMessage Request(Call call, string accept, string type, byte[]? content, string key)
        {
            var request = new HttpRequestMessage(new HttpMethod(call.Method), new Uri(_base + call.Path + QueryOf(call)));
            if (content != null)
            {
                request.Content = new ByteArrayContent(content);
                request.Content.Headers.ContentType = new MediaTypeHeaderValue(type);
            }
            request.Headers.TryAddWithoutValidation("Authorization", _authorization);
            request.Headers.TryAddWithoutValidation("Accept", accept);
            request.Headers.TryAddWithoutValidation("User-Agent", "heliograph-dotnet/" + HeliographClient.Version);
            if (key != "")
            {
                request.Headers.TryAddWithoutValidation("Idempotency-Key", key);
            }
            foreach ((string name, string value) in call.Options?.Headers ?? new Dictionary<string, string>())
            {
                if (name == "" || !name.All(c => c > ' ' && c <= '~' && "\"(),/:;<=>?@[\\]{}".IndexOf(c) < 0))
                {
                    throw new ArgumentException($"\"{name}\" is no name of a header");
                }
                if (!value.All(c => c == '\t' || (c >= ' ' && c <= '~')))
                {
                    throw new ArgumentException($"The header {name} must be printable ASCII characters");
                }
                request.Headers.Remove(name);
                request.Headers.TryAddWithoutValidation(name, value);
            }
            return request;
        }

        private static string QueryOf(Call call)
        {
            var pairs = new List<string>();
            foreach ((string name, object? value) in call.Query?.Fields ?? new Dictionary<string, object?>())
            {
                if (name == "cursor" && call.Cursor != null)
                {
                    continue;
                }
                foreach (object? one in value is IEnumerable list && !(value is string) ? list.Cast<object?>() : new[] { value })
                {
                    if (one != null)
                    {
                        pairs.Add(Uri.EscapeDataString(name) + "=" + Uri.EscapeDataString(TextOf(one)));
                    }
                }
            }
            if (call.Cursor != null)
            {
                pairs.Add("cursor=" + Uri.EscapeDataString(call.Cursor));
            }
            return pairs.Count == 0 ? "" : "?" + string.Join("&", pairs);
        }

        private static string TextOf(object value) => value switch
        {
            bool flag => flag ? "true" : "false",
            IFormattable number => number.ToString(null, System.Globalization.CultureInfo.InvariantCulture),
            _ => value.ToString() ?? "",
        };

        private async Task<T> AttemptsAsync<T>(Call call, Func<TimeSpan, CancellationToken, Task<T>> attempt, CancellationToken token)
        {
            TimeSpan deadline = call.Options?.Deadline ?? _defaults.Deadline;
            TimeSpan timeout = call.Options?.Timeout ?? _defaults.Timeout;
            int most = call.Options?.MaxRetries ?? _defaults.MaxRetries;
            Stopwatch clock = Stopwatch.StartNew();
            for (int tries = 0; ; tries++)
            {
                TimeSpan wait;
                try
                {
                    TimeSpan left = deadline - clock.Elapsed;
                    left = left < TimeSpan.FromMilliseconds(1) ? TimeSpan.FromMilliseconds(1) : left;
                    return await attempt(left < timeout ? left : timeout, token).ConfigureAwait(false);
                }
                catch (HeliographException error)
                {
                    TimeSpan? next = WaitAfter(error, tries);
                    if (next == null || tries >= most || clock.Elapsed + next >= deadline)
                    {
                        throw;
                    }
                    wait = next.Value;
                }
                await Task.Delay(wait, token).ConfigureAwait(false);
            }
        }

        /// <summary>Until another attempt; null where it would not help.</summary>
        private static TimeSpan? WaitAfter(HeliographException error, int tries)
        {
            double chance;
            lock (Chance)
            {
                chance = Chance.NextDouble();
            }
            if (error is HeliographApiException api)
            {
                // A conflict that says when to come again: the first try of the same call is still at work.
                bool again = api.Status == 429 || api.Status == 408 || api.Status >= 500 || (api.Status == 409 && api.RetryAfter != null);
                if (!again)
                {
                    return null;
                }
                if (api.RetryAfter is TimeSpan asked)
                {
                    // A little more, so that not all clients come back at the same moment.
                    return asked + TimeSpan.FromSeconds(chance * Math.Min(1, 0.1 + (asked.TotalSeconds / 4)));
                }
            }
            return TimeSpan.FromSeconds((0.5 + (chance / 2)) * Math.Min(LongestWait, FirstWait * Math.Pow(2, tries)));
        }

        private static readonly Random Chance = new Random();

        private Task<byte[]> WholeAsync(Func<HttpRequestMessage> request, TimeSpan left, CancellationToken token) =>
            WithinAsync(left, token, async inTime =>
            {
                using HttpResponseMessage response = await ReceiveAsync(request(), inTime).ConfigureAwait(false);
                return await ReadAsync(response, inTime).ConfigureAwait(false);
            });

        private static async Task<byte[]> ReadAsync(HttpResponseMessage response, CancellationToken token)
        {
            using Stream body = await response.Content.ReadAsStreamAsync().ConfigureAwait(false);
            using var content = new MemoryStream();
            await body.CopyToAsync(content, 64 * 1024, token).ConfigureAwait(false);
            return content.ToArray();
        }

        /// <summary>The beginning of a successful answer.</summary>
        private async Task<HttpResponseMessage> ReceiveAsync(HttpRequestMessage request, CancellationToken token)
        {
            using (request)
            {
                HttpResponseMessage response = await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, token).ConfigureAwait(false);
                if (response.IsSuccessStatusCode)
                {
                    return response;
                }
                using (response)
                {
                    throw Refusal(response, await ReadAsync(response, token).ConfigureAwait(false));
                }
            }
        }

        private static async Task<T> WithinAsync<T>(TimeSpan left, CancellationToken token, Func<CancellationToken, Task<T>> work)
        {
            using var timer = CancellationTokenSource.CreateLinkedTokenSource(token);
            timer.CancelAfter(left);
            try
            {
                return await work(timer.Token).ConfigureAwait(false);
            }
            catch (Exception cause) when (!(cause is HeliographException))
            {
                token.ThrowIfCancellationRequested();
                if (timer.IsCancellationRequested)
                {
                    throw new HeliographTimeoutException($"No answer within {left.TotalMilliseconds:F0} ms", cause);
                }
                if (cause is HttpRequestException || cause is IOException)
                {
                    throw new HeliographConnectionException("No whole answer: " + cause.Message, cause);
                }
                throw;
            }
        }

        private static HeliographApiException Refusal(HttpResponseMessage response, byte[] content)
        {
            IDictionary<string, object?>? error = null;
            try
            {
                error = Json.ReadObject(content).TryGetValue("error", out object? value) ? value as IDictionary<string, object?> : null;
            }
            catch (JsonException)
            {
                // A proxy's page.
            }
            object? Of(string name) => error != null && error.TryGetValue(name, out object? value) ? value : null;
            var details = new List<ErrorDetail>();
            foreach (object? detail in Of("details") as IEnumerable<object?> ?? Array.Empty<object?>())
            {
                if (detail is IDictionary<string, object?> fields && fields.TryGetValue("field", out object? field) && fields.TryGetValue("message", out object? message))
                {
                    details.Add(new ErrorDetail($"{field}", $"{message}"));
                }
            }
            string? requestId = response.Headers.TryGetValues("X-Request-Id", out IEnumerable<string>? ids) ? ids.First() : null;
            return new HeliographApiException(
                (int)response.StatusCode,
                Of("code") as string ?? "unknown",
                Of("message") as string ?? response.ReasonPhrase ?? "",
                details,
                Of("request_id") as string ?? requestId,
                RetryAfter(response.Headers.TryGetValues("Retry-After", out IEnumerable<string>? asked) ? asked.First() : ""));
        }

        /// <summary>Seconds, or a date: both are allowed in HTTP.</summary>
        private static TimeSpan? RetryAfter(string header)
        {
            if (header != "" && header.All(c => c >= '0' && c <= '9'))
            {
                return int.TryParse(header, out int seconds) ? TimeSpan.FromSeconds(seconds) : LongestAsked;
            }
            if (RetryConditionHeaderValue.TryParse(header, out RetryConditionHeaderValue? value) && value.Date is DateTimeOffset at)
            {
                TimeSpan wait = at - DateTimeOffset.UtcNow;
                return wait < TimeSpan.Zero ? TimeSpan.Zero : wait < LongestAsked ? wait : LongestAsked;
            }
            return null;
        }

        private static IDictionary<string, object?> Decode(byte[] content)
        {
            try
            {
                return Json.ReadObject(content);
            }
            catch (JsonException cause)
            {
                throw new HeliographConnectionException("The answer is not JSON", cause);
            }
        }

        private static List<IDictionary<string, object?>> ResultsOf(byte[] content)
        {
            if (content.Length > 0 && content[^1] != '\n')
            {
                throw new HeliographConnectionException("The answer broke off in the middle of a line");
            }
            var results = new List<IDictionary<string, object?>>();
            int at = 0;
            for (int end; (end = Array.IndexOf(content, (byte)'\n', at)) >= 0; at = end + 1)
            {
                if (end > at)
                {
                    results.Add(Decode(content[at..end]));
                }
            }
            if (!results.All(result => result.TryGetValue("line", out object? line) && line is long))
            {
                throw new HeliographConnectionException("The answer is not the service's: a result has no line");
            }
            return results;
        }
    }
}
