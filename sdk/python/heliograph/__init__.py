"""The Heliograph API for servers: one client that blocks, and one for asyncio and trio."""

from . import webhooks
from ._async import AsyncHeliograph
from ._core import NOT_GIVEN, NotGiven, RequestOptions
from ._errors import ApiError, ConnectionFailed, HeliographError, TimedOut, WebhookVerificationError
from ._generated import types
from ._pages import AsyncPages, Page, Pages
from ._sync import Heliograph
from ._version import __version__
from .webhooks import WebhookEvent

__all__ = [
    "NOT_GIVEN",
    "ApiError",
    "AsyncHeliograph",
    "AsyncPages",
    "ConnectionFailed",
    "Heliograph",
    "HeliographError",
    "NotGiven",
    "Page",
    "Pages",
    "RequestOptions",
    "TimedOut",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "types",
    "webhooks",
]
