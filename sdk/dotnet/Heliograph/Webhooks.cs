using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;

namespace Heliograph
{
    /// <summary>The body of a delivery. Its Id is the same on every attempt: skip what you have seen.</summary>
    public sealed record WebhookEvent(string Id, string Event, string AppId, DateTimeOffset Timestamp, IReadOnlyDictionary<string, object?> Payload);

    /// <summary>Whether deliveries are genuine, and their events.</summary>
    public sealed class Webhooks
    {
        private readonly string?[] _secrets;

        /// <summary>With a webhook's secret, or with several, one of which has to fit; those that are null or empty do not count.</summary>
        public Webhooks(params string?[]? secrets) => _secrets = secrets ?? Array.Empty<string?>();

        /// <summary>How far the signature's time may differ from the clock, either way: 5 minutes unless given.</summary>
        public TimeSpan Tolerance { get; init; } = TimeSpan.FromMinutes(5);

        /// <summary>In place of the clock.</summary>
        public Func<DateTimeOffset> Now { get; init; } = () => DateTimeOffset.UtcNow;

        /// <param name="rawBody">As it came, before anything parsed it.</param>
        /// <param name="header">The value of X-Service-Signature.</param>
        public bool Verify(byte[] rawBody, string? header)
        {
            string? t = null;
            var signatures = new List<byte[]>();
            foreach (string part in (header ?? "").Split(','))
            {
                string[] pair = part.Trim().Split('=', 2);
                if (pair.Length == 2 && pair[0] == "t")
                {
                    t ??= pair[1];
                }
                else if (pair.Length == 2 && pair[0] == "v1")
                {
                    signatures.Add(Encoding.UTF8.GetBytes(pair[1]));
                }
            }
            if (t == null || t.Length < 1 || t.Length > 12 || !Array.TrueForAll(t.ToCharArray(), c => c >= '0' && c <= '9'))
            {
                return false;
            }
            if (Math.Abs(Now().ToUnixTimeSeconds() - long.Parse(t)) > Tolerance.TotalSeconds)
            {
                return false;
            }
            bool isGenuine = false;
            foreach (string? secret in _secrets)
            {
                // An empty key would accept what anybody can sign.
                if (string.IsNullOrEmpty(secret))
                {
                    continue;
                }
                byte[] expected = Sign(secret!, t, rawBody);
                foreach (byte[] signature in signatures)
                {
                    isGenuine |= CryptographicOperations.FixedTimeEquals(expected, signature);
                }
            }
            return isGenuine;
        }

        /// <summary>
        /// The event of a delivery that is genuine; else a WebhookVerificationException. Without a secret, as when the environment lacks it, an
        /// ArgumentException: nothing is wrong with the delivery.
        /// </summary>
        public WebhookEvent Parse(byte[] rawBody, string? header)
        {
            if (Array.TrueForAll(_secrets, string.IsNullOrEmpty))
            {
                throw new ArgumentException("A secret is required, and is empty");
            }
            if (!Verify(rawBody, header))
            {
                throw new WebhookVerificationException("The signature is missing, wrong, or too far from the clock");
            }
            IDictionary<string, object?> fields = Json.ReadObject(rawBody);
            return new WebhookEvent(
                (string)fields["id"]!,
                (string)fields["event"]!,
                (string)fields["appId"]!,
                DateTimeOffset.Parse((string)fields["timestamp"]!, System.Globalization.CultureInfo.InvariantCulture),
                (IReadOnlyDictionary<string, object?>)fields["payload"]!);
        }

        private static byte[] Sign(string secret, string t, byte[] rawBody)
        {
            using var mac = new HMACSHA256(Encoding.UTF8.GetBytes(secret));
            byte[] prefix = Encoding.ASCII.GetBytes(t + ".");
            mac.TransformBlock(prefix, 0, prefix.Length, null, 0);
            mac.TransformFinalBlock(rawBody, 0, rawBody.Length);
            return Encoding.ASCII.GetBytes(BitConverter.ToString(mac.Hash!).Replace("-", "").ToLowerInvariant());
        }
    }
}
