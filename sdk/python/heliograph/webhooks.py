"""Webhooks: whether a delivery is genuine, and its event."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Literal, Optional, Sequence, TypedDict, Union

from ._errors import WebhookVerificationError

EventName = Literal[
    "NOTIFICATION_SENT",
    "NOTIFICATION_FAILED",
    "NOTIFICATION_DELIVERED",
    "NOTIFICATION_OPENED",
    "NOTIFICATION_CLICKED",
    "WORKFLOW_COMPLETED",
    "WORKFLOW_FILTERED",
    "WORKFLOW_FAILED",
    "WORKFLOW_CANCELLED",
]


class WebhookEvent(TypedDict):
    """The body of a delivery."""

    # The same on every attempt: skip what you have seen.
    id: str
    event: EventName
    appId: str
    timestamp: str
    payload: Dict[str, Any]


def verify(
    raw_body: Union[bytes, str],
    header: Optional[str],
    secret: Union[str, Sequence[Optional[str]]],
    *,
    tolerance: int = 300,
    now: Optional[int] = None,
) -> bool:
    """Whether a delivery is genuine.

    raw_body: the bytes as they came, before anything parsed them.
    header: the value of X-Service-Signature.
    secret: the webhook's secret, or several, one of which has to fit; those that are empty or None do not count.
    tolerance: seconds that the signature's time may differ from the clock, either way.
    """
    # Not False: nothing is wrong with the delivery, and its sender must not be told so for ever.
    if secret is None:
        raise ValueError("secret is required")
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    parts = [part.strip().partition("=")[::2] for part in (header or "").split(",")]
    t = next((value for name, value in parts if name == "t"), "")
    if not re.fullmatch(r"[0-9]{1,12}", t):
        return False
    if abs((int(time.time()) if now is None else now) - int(t)) > tolerance:
        return False
    genuine = False
    for key in [secret] if isinstance(secret, str) else secret:
        # An empty key would accept what anybody can sign.
        if not key:
            continue
        expected = hmac.new(key.encode(), t.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
        for name, value in parts:
            # Some frameworks give bytes that are no UTF-8 as surrogates.
            if name == "v1" and hmac.compare_digest(expected, value.encode("utf-8", "surrogateescape")):
                genuine = True
    return genuine


def parse(
    raw_body: Union[bytes, str],
    header: Optional[str],
    secret: Union[str, Sequence[Optional[str]]],
    *,
    tolerance: int = 300,
    now: Optional[int] = None,
) -> WebhookEvent:
    """The event of a delivery that is genuine; else a WebhookVerificationError."""
    # As with None: nothing is wrong with the delivery.
    if not secret or not any([secret] if isinstance(secret, str) else secret):
        raise ValueError("secret is required, and is empty")
    if not verify(raw_body, header, secret, tolerance=tolerance, now=now):
        raise WebhookVerificationError("The signature is missing, wrong, or too far from the clock")
    event: WebhookEvent = json.loads(raw_body)
    return event
