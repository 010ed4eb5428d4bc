// The conformance suite's command (sdk/conformance): a request a line in, an answer a line out.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Heliograph.Conformance
{
    /// <summary>A request of the suite, and what is answered.</summary>
    internal sealed class Input
    {
        private readonly IDictionary<string, object?> _request;

        internal Input(IDictionary<string, object?> request) => _request = request;

        internal Dictionary<string, object?> Answer { get; } = new Dictionary<string, object?>();

        internal object? Of(string name) => _request.TryGetValue(name, out object? value) ? value : null;

        internal IDictionary<string, object?> Object(string name) => (IDictionary<string, object?>?)Of(name) ?? new Dictionary<string, object?>();

        internal string Id(int i) => (string)((IList<object?>)Of("ids")!)[i]!;

        private static TimeSpan? Millis(IDictionary<string, object?> given, string name) =>
            given.TryGetValue(name, out object? value) ? TimeSpan.FromMilliseconds(Convert.ToDouble(value)) : (TimeSpan?)null;

        private static int? Retries(IDictionary<string, object?> given) =>
            given.TryGetValue("max_retries", out object? value) ? Convert.ToInt32(value) : (int?)null;

        internal HeliographClient Client()
        {
            IDictionary<string, object?> given = Object("client");
            var options = new HeliographOptions
            {
                Timeout = Millis(given, "timeout_ms") ?? TimeSpan.FromSeconds(30),
                Deadline = Millis(given, "deadline_ms") ?? TimeSpan.FromSeconds(90),
                MaxRetries = Retries(given) ?? 4,
            };
            return new HeliographClient((string)given["api_key"]!, (string)given["base_url"]!, options);
        }

        internal RequestOptions Options()
        {
            IDictionary<string, object?> given = Object("options");
            return new RequestOptions
            {
                Timeout = Millis(given, "timeout_ms"),
                Deadline = Millis(given, "deadline_ms"),
                MaxRetries = Retries(given),
                IdempotencyKey = given.TryGetValue("idempotency_key", out object? key) ? (string?)key : null,
                Headers = given.TryGetValue("headers", out object? headers)
                    ? ((IDictionary<string, object?>)headers!).ToDictionary(pair => pair.Key, pair => (string)pair.Value!)
                    : null,
            };
        }

        /// <summary>Lines so long that those of a large import do not fit into the memory that a small one needs.</summary>
        private static readonly string Tail = new string('x', 300);

        internal async IAsyncEnumerable<T> Lines<T>(Func<IDictionary<string, object?>, T> make)
        {
            await Task.Yield();
            foreach (object? line in (IEnumerable<object?>?)Of("lines") ?? Array.Empty<object?>())
            {
                yield return make((IDictionary<string, object?>)line!);
            }
            long count = Convert.ToInt64(Of("generate") ?? 0L);
            for (long i = 0; i < count; i++)
            {
                yield return make(new Dictionary<string, object?> { ["token"] = $"made-{i}-{Tail}", ["platform"] = "android" });
            }
        }

        private static object PlainPage<T>(Page<T> page) =>
            new Dictionary<string, object?> { ["data"] = page.Data, ["next_cursor"] = page.NextCursor };

        internal async Task ValueAsync<T>(Task<T> value) => Answer["value"] = await value;

        internal async Task PagesAsync<T>(Pages<T> pages, CancellationToken token)
        {
            switch (Of("as") as string)
            {
                case "pages":
                    await CollectAsync(pages.PagesAsync(token), token);
                    break;
                case "items":
                    await CollectAsync(pages, token);
                    break;
                default:
                    Answer["value"] = PlainPage(await pages.PageAsync(token));
                    break;
            }
        }

        internal async Task CollectAsync<T>(IAsyncEnumerable<T> items, CancellationToken token)
        {
            if (Of("as") as string == "count")
            {
                long count = 0;
                long errors = 0;
                await foreach (T item in items.WithCancellation(token))
                {
                    count++;
                    errors += item is ImportResult { Error: { } } ? 1 : 0;
                }
                Answer["count"] = count;
                Answer["errors"] = errors;
                return;
            }
            var found = new List<object?>();
            Answer["items"] = found;
            await foreach (T item in items.WithCancellation(token))
            {
                found.Add(item is Shape ? item : PlainOf(item));
                if (Of("take") is long take && found.Count == take)
                {
                    break;
                }
            }
        }

        private static object? PlainOf<T>(T item) => item switch
        {
            Page<Device> page => PlainPage(page),
            _ => item,
        };
    }

    internal static class Driver
    {
        private static Dictionary<string, object?> Problem(Exception error)
        {
            string kind = error switch
            {
                HeliographApiException _ => "api",
                HeliographTimeoutException _ => "timeout",
                HeliographConnectionException _ => "connection",
                WebhookVerificationException _ => "webhook",
                OperationCanceledException _ => "cancelled",
                ArgumentException _ => "usage",
                _ => "other",
            };
            var problem = new Dictionary<string, object?> { ["kind"] = kind, ["message"] = error.ToString() };
            if (error is HeliographApiException api)
            {
                problem["status"] = api.Status;
                problem["code"] = api.Code;
                problem["details"] = api.Details.Select(detail => (object)new Dictionary<string, object?> { ["field"] = detail.Field, ["message"] = detail.Message }).ToList();
                problem["request_id"] = api.RequestId;
                problem["retry_after_ms"] = api.RetryAfter is TimeSpan wait ? (object)(long)wait.TotalMilliseconds : null;
            }
            return problem;
        }

        private static void Webhook(string call, Input input)
        {
            byte[] body = Convert.FromBase64String((string)input.Of("body_base64")!);
            string[] secrets = ((IEnumerable<object?>)input.Of("secrets")!).Cast<string>().ToArray();
            Func<DateTimeOffset> now = input.Of("now") is long seconds ? () => DateTimeOffset.FromUnixTimeSeconds(seconds) : (Func<DateTimeOffset>)(() => DateTimeOffset.UtcNow);
            var webhooks = new Webhooks(secrets) { Now = now, Tolerance = TimeSpan.FromSeconds(Convert.ToDouble(input.Of("tolerance_seconds") ?? 300L)) };
            string? header = input.Of("header") as string;
            if (call == "verify")
            {
                input.Answer["value"] = webhooks.Verify(body, header);
                return;
            }
            WebhookEvent parsed = webhooks.Parse(body, header);
            input.Answer["value"] = new Dictionary<string, object?> { ["id"] = parsed.Id, ["event"] = parsed.Event };
        }

        private static async Task RunAsync(Input input)
        {
            string call = (string)input.Of("call")!;
            if (call == "verify" || call == "parse")
            {
                Webhook(call, input);
                return;
            }
            using HeliographClient client = input.Client();
            using var cancel = new CancellationTokenSource();
            if (input.Of("cancel_after_ms") is long after)
            {
                cancel.CancelAfter(TimeSpan.FromMilliseconds(after));
            }
            await Operations.RunAsync(client, call, input, cancel.Token);
        }

        private static async Task Main()
        {
            Console.InputEncoding = new UTF8Encoding(false);
            Console.OutputEncoding = new UTF8Encoding(false);
            while (Console.In.ReadLine() is string line)
            {
                var input = new Input(Json.ReadObject(Encoding.UTF8.GetBytes(line)));
                try
                {
                    await RunAsync(input);
                }
                catch (Exception error)
                {
                    input.Answer["error"] = Problem(error);
                }
                Console.WriteLine(Encoding.UTF8.GetString(Json.Write(input.Answer)));
            }
        }
    }
}
