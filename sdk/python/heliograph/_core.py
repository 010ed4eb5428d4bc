"""What both clients do alike, without asking anybody."""

from __future__ import annotations

import datetime
import email.utils
import json
import random
import re
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ._errors import ApiError, ConnectionFailed, HeliographError, TimedOut
from ._version import __version__

FIRST_WAIT = 0.25
LONGEST_WAIT = 20.0
JSON = "application/json"
LINES = "application/x-ndjson"
#: A part of an import has at most so many lines, and about so many bytes.
LINES_OF_A_PART = 2000
BYTES_OF_A_PART = 1024 * 1024


class NotGiven:
    """Left out, which is not None: None is sent as null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()


@dataclass(frozen=True)
class RequestOptions:
    """For one call, in place of what the client has."""

    #: Seconds that one attempt may take.
    timeout: Optional[float] = None
    #: Seconds that the call may take with all its attempts and the waiting between them.
    deadline: Optional[float] = None
    #: Attempts after the first.
    max_retries: Optional[int] = None
    #: One is made for every call that takes it. Give your own to make calls of different processes one.
    idempotency_key: Optional[str] = None
    #: Such as X-Identity-Hash.
    headers: Optional[Mapping[str, str]] = None


@dataclass(frozen=True)
class Settings:
    authorization: str
    base: str
    timeout: float
    deadline: float
    max_retries: int


def settings(api_key: str, base_url: str, timeout: float, deadline: float, max_retries: int) -> Settings:
    """What cannot work is told where it is written, not by the first call."""
    if not isinstance(api_key, str) or not re.fullmatch(r"[!-~]+", api_key):
        raise ValueError("api_key must be a key as it was shown: sk_… or pk_…")
    url = urlsplit(str(base_url))
    if url.scheme not in ("http", "https") or not url.hostname or "@" in url.netloc:
        raise ValueError("base_url must be the address of the service, such as https://push.example.com")
    scheme = "Public" if api_key.startswith("pk_") else "ApiKey"
    base = f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"
    return Settings(f"{scheme} {api_key}", base, timeout, deadline, max_retries)


def segment(name: str, value: str) -> str:
    """An id as one part of a path."""
    # Left out, it would make another address of it: that of the list.
    if not isinstance(value, str) or value == "":
        raise ValueError(f"{name} must be a text that is not empty")
    # In a path they lead elsewhere, percent-encoded too.
    if value in (".", ".."):
        raise ValueError(f'{name} must not be "{value}", which no path can hold')
    return quote(value, safe="~!*'()")


@dataclass(frozen=True)
class Call:
    method: str
    url: str
    headers: Dict[str, str]
    content: Optional[bytes]
    timeout: float
    deadline: float
    max_retries: int


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return str(value)


def _query(query: Mapping[str, Any]) -> str:
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        for one in value if isinstance(value, (list, tuple, set)) else [value]:
            if one is not None:
                pairs.append((name, _text(one)))
    return f"?{urlencode(pairs)}" if pairs else ""


def _plain(value: Any) -> str:
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    raise ValueError(f"JSON has no {type(value).__name__}")


def encode(value: Any) -> bytes:
    try:
        return json.dumps(
            value, allow_nan=False, ensure_ascii=False, separators=(",", ":"), default=_plain
        ).encode()
    except TypeError as cause:
        # A key that is none.
        raise ValueError(f"no JSON: {cause}") from cause


def _check(options: RequestOptions) -> None:
    """The caller's own, which no attempt would make any better."""
    key = options.idempotency_key
    if key is not None and not re.fullmatch(r"[!-~]{1,255}", key):
        raise ValueError("idempotency_key must be 1 to 255 printable ASCII characters without spaces")
    for name, value in (options.headers or {}).items():
        if not re.fullmatch(r"[!#-'*+.^-z|~0-9A-Z-]+", name):
            raise ValueError(f"{name!r} is no name of a header")
        if not re.fullmatch(r"[\t -~]*", value):
            raise ValueError(f"the header {name} must be printable ASCII characters")


def call(
    settings: Settings,
    method: str,
    path: str,
    *,
    accept: str,
    query: Optional[Mapping[str, Any]],
    content: Optional[bytes],
    content_type: str,
    takes_key: bool,
    options: Optional[RequestOptions],
) -> Call:
    given = options or RequestOptions()
    _check(given)
    headers = {
        "authorization": settings.authorization,
        "accept": accept,
        "user-agent": f"heliograph-python/{__version__}",
    }
    if content is not None:
        headers["content-type"] = content_type
    if takes_key:
        headers["idempotency-key"] = given.idempotency_key or str(uuid.uuid4())
    headers.update({name.lower(): value for name, value in (given.headers or {}).items()})
    return Call(
        method,
        settings.base + path + _query(query or {}),
        headers,
        content,
        settings.timeout if given.timeout is None else given.timeout,
        settings.deadline if given.deadline is None else given.deadline,
        settings.max_retries if given.max_retries is None else given.max_retries,
    )


def given_fields(body: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in body.items() if not isinstance(value, NotGiven)}


def _retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds, or a date: both are allowed in HTTP."""
    if header is None:
        return None
    if re.fullmatch(r"[0-9]+", header):
        return float(header)
    try:
        at = email.utils.parsedate_to_datetime(header)
    except (TypeError, ValueError):
        return None
    return max(0.0, at.timestamp() - datetime.datetime.now(datetime.timezone.utc).timestamp())


def api_error(response: httpx.Response, content: bytes) -> ApiError:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        # A proxy's page.
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        error = {}
    code, message, details = error.get("code"), error.get("message"), error.get("details")
    return ApiError(
        status=response.status_code,
        code=code if isinstance(code, str) else "unknown",
        message=message if isinstance(message, str) else response.reason_phrase,
        details=details if isinstance(details, list) else [],
        request_id=error.get("request_id") or response.headers.get("x-request-id"),
        retry_after=_retry_after(response.headers.get("retry-after")),
    )


def decode(content: bytes) -> Dict[str, Any]:
    """An answer, or a line of one: each of the service's is an object."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as cause:
        raise ConnectionFailed("The answer is not JSON") from cause
    if not isinstance(value, dict):
        raise ConnectionFailed("The answer is not the service's: it is no object")
    return value


def failed(cause: httpx.HTTPError, timeout: float) -> HeliographError:
    if isinstance(cause, httpx.TimeoutException):
        return TimedOut(f"No answer within {timeout:.3g} s")
    return ConnectionFailed(f"No answer: {cause}")


def wait_after(error: HeliographError, tries: int) -> Optional[float]:
    """Seconds until another attempt; None where it would not help."""
    if isinstance(error, ApiError):
        # A conflict that says when to come again: the first try of the same call is still at work.
        again = error.status in (408, 429) or error.status >= 500
        if not again and not (error.status == 409 and error.retry_after is not None):
            return None
        if error.retry_after is not None:
            # A little more, so that not all clients come back at the same moment.
            return error.retry_after + random.random() * min(1.0, 0.1 + error.retry_after / 4)
    return (0.5 + random.random() / 2) * min(LONGEST_WAIT, FIRST_WAIT * 2.0**tries)


class LineReader:
    """Lines of bytes that come in any pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[Any]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if line:
                yield decode(line)

    def end(self) -> None:
        if self._rest:
            raise ConnectionFailed("The answer broke off in the middle of a line")


class Part:
    """Lines of an import that go in one request."""

    def __init__(self) -> None:
        self._lines: List[bytes] = []
        self._bytes = 0

    def add(self, line: Union[str, Mapping[str, Any]]) -> bool:
        """Whether it is full now."""
        encoded = line.strip().encode() if isinstance(line, str) else encode(line)
        self._lines.append(encoded)
        self._bytes += len(encoded)
        return len(self._lines) >= LINES_OF_A_PART or self._bytes >= BYTES_OF_A_PART

    def __len__(self) -> int:
        return len(self._lines)

    def content(self) -> bytes:
        return b"\n".join(self._lines) + b"\n"


def results(content: bytes, sent: int) -> List[Any]:
    """Those of a part, numbered over the whole import."""
    reader = LineReader()
    found = list(reader.feed(content))
    reader.end()
    for result in found:
        if type(result.get("line")) is not int:
            raise ConnectionFailed("The answer is not the service's: a result has no line")
        result["line"] += sent
    return found
