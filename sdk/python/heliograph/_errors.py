from __future__ import annotations

from typing import Any, Dict, List, Optional


class HeliographError(Exception):
    """Everything that a call can fail with, but for a wrong argument (ValueError)."""


class ApiError(HeliographError):
    """The service answered, and refused."""

    def __init__(
        self,
        *,
        status: int,
        code: str,
        message: str,
        details: List[Dict[str, Any]],
        request_id: Optional[str],
        retry_after: Optional[float],
    ) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        #: Such as "validation_error"; "unknown" for an answer that is not the service's own, such as a proxy's.
        self.code = code
        self.message = message
        #: What is wrong with which field, each with "field" and "message".
        self.details = details
        self.request_id = request_id
        #: Seconds that the service asks to wait; None where it does not.
        self.retry_after = retry_after


class ConnectionFailed(HeliographError):
    """There was no whole answer: no connection, or one that broke."""


class TimedOut(HeliographError):
    """An attempt took longer than `timeout`, or what was left of the deadline."""


class WebhookVerificationError(HeliographError):
    """A webhook that is not genuine, or too old."""
