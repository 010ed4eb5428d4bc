using System;
using System.Collections.Generic;

namespace Heliograph
{
    /// <summary>Everything that a call can fail with, but for a wrong argument and a cancelled token.</summary>
    public class HeliographException : Exception
    {
        public HeliographException(string message, Exception? cause = null)
            : base(message, cause)
        {
        }
    }

    /// <summary>What is wrong with a field.</summary>
    public sealed record ErrorDetail(string Field, string Message);

    /// <summary>The service answered, and refused.</summary>
    public sealed class HeliographApiException : HeliographException
    {
        public HeliographApiException(int status, string code, string message, IReadOnlyList<ErrorDetail> details, string? requestId, TimeSpan? retryAfter)
            : base($"{status} {code}: {message}")
        {
            Status = status;
            Code = code;
            Details = details;
            RequestId = requestId;
            RetryAfter = retryAfter;
        }

        public int Status { get; }

        /// <summary>"unknown" for an answer that is not the service's own, such as a proxy's.</summary>
        public string Code { get; }

        public IReadOnlyList<ErrorDetail> Details { get; }

        public string? RequestId { get; }

        /// <summary>How long the service asks to wait; null where it does not.</summary>
        public TimeSpan? RetryAfter { get; }
    }

    /// <summary>There was no whole answer: no connection, or one that broke.</summary>
    public sealed class HeliographConnectionException : HeliographException
    {
        public HeliographConnectionException(string message, Exception? cause = null)
            : base(message, cause)
        {
        }
    }

    /// <summary>An attempt took longer than the timeout, or what was left of the deadline.</summary>
    public sealed class HeliographTimeoutException : HeliographException
    {
        public HeliographTimeoutException(string message, Exception? cause = null)
            : base(message, cause)
        {
        }
    }

    /// <summary>A webhook that is not genuine, or too old.</summary>
    public sealed class WebhookVerificationException : HeliographException
    {
        public WebhookVerificationException(string message)
            : base(message)
        {
        }
    }
}
