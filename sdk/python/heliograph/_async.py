from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import (
    Any,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
    Union,
    cast,
)

import anyio
import anyio.lowlevel
import httpx

from . import _core
from ._core import JSON, LINES, Call, RequestOptions
from ._errors import HeliographError, TimedOut
from ._generated.async_resources import AsyncResources
from ._pages import AsyncPages

A = TypeVar("A")
Line = Union[str, Mapping[str, Any]]


async def _each(lines: Union[Iterable[Line], AsyncIterable[Line]]) -> AsyncIterator[Line]:
    if isinstance(lines, AsyncIterable):
        async for line in lines:
            yield line
    else:
        for line in lines:
            yield line


def _here() -> Tuple[int, object]:
    """The process and the event loop."""
    return os.getpid(), anyio.lowlevel.current_token()


class AsyncTransport:
    def __init__(self, settings: _core.Settings, given: Optional[httpx.AsyncClient]) -> None:
        self._settings = settings
        self._given = given
        # Made once: it takes 20 ms.
        self._tls = httpx.create_ssl_context()
        # A thread runs one loop at a time.
        self._opened = threading.local()

    def _http(self) -> httpx.AsyncClient:
        """
        One whose connections are this loop's alone, which no other could wait for, and this process's: two that ask
        on the same one get each other's answers.

        What was opened in a loop of before, or by the parent before a fork, is forgotten. Closing it would need that
        loop, or take leave of the service on connections that the parent goes on with.
        """
        if self._given is not None:
            return self._given
        here = _here()
        if getattr(self._opened, "by", None) != here:
            self._opened.by = here
            self._opened.http = httpx.AsyncClient(verify=self._tls)
        return cast(httpx.AsyncClient, self._opened.http)

    async def close(self) -> None:
        if getattr(self._opened, "by", None) == _here():
            await self._opened.http.aclose()

    async def _attempt(self, call: Call, timeout: float) -> bytes:
        end = time.monotonic() + timeout
        async with self._open(call, timeout) as response:
            chunks = []
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                if time.monotonic() > end:
                    raise TimedOut(f"No whole answer within {timeout:.3g} s")
            return b"".join(chunks)

    @contextlib.asynccontextmanager
    async def _open(self, call: Call, timeout: float) -> AsyncIterator[httpx.Response]:
        try:
            async with self._http().stream(
                call.method,
                call.url,
                headers=call.headers,
                content=call.content,
                timeout=timeout,
                follow_redirects=False,
            ) as response:
                if not response.is_success:
                    raise _core.api_error(response, await response.aread())
                yield response
        except httpx.HTTPError as cause:
            raise _core.failed(cause, timeout) from cause

    async def _repeat(self, call: Call, attempt: Callable[[Call, float], Awaitable[A]]) -> A:
        end = time.monotonic() + call.deadline
        tries = 0
        while True:
            try:
                return await attempt(call, min(call.timeout, max(0.001, end - time.monotonic())))
            except HeliographError as error:
                wait = _core.wait_after(error, tries)
                if wait is None or tries >= call.max_retries or time.monotonic() + wait >= end:
                    raise
            await anyio.sleep(wait)
            tries += 1

    def _call(self, method: str, path: str, **given: Any) -> Call:
        return _core.call(self._settings, method, path, **given)

    async def _value(
        self,
        method: str,
        path: str,
        *,
        body: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        takes_key: bool = False,
        options: Optional[RequestOptions] = None,
    ) -> Any:
        call = self._call(
            method,
            path,
            accept=JSON,
            query=query,
            content=None if body is None else _core.encode(_core.given_fields(body)),
            content_type=JSON,
            takes_key=takes_key,
            options=options,
        )

        async def attempt(call: Call, timeout: float) -> Any:
            return _core.decode(await self._attempt(call, timeout))

        return await self._repeat(call, attempt)

    def _pages(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncPages[Any]:
        async def load(cursor: Optional[str]) -> Any:
            asked = {**(query or {}), **({} if cursor is None else {"cursor": cursor})}
            return await self._value(method, path, query=asked, options=options)

        return AsyncPages(load)

    async def _lines(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[RequestOptions] = None,
    ) -> AsyncIterator[Any]:
        call = self._call(
            method,
            path,
            accept=LINES,
            query=query,
            content=None,
            content_type=JSON,
            takes_key=False,
            options=options,
        )

        async def begin(call: Call, timeout: float) -> Any:
            stack = contextlib.AsyncExitStack()
            return stack, await stack.enter_async_context(self._open(call, timeout))

        # Only the beginning has to come in time: the lines take as long as they are many.
        stack, response = await self._repeat(call, begin)
        async with stack:
            reader = _core.LineReader()
            async for chunk in response.aiter_bytes():
                for line in reader.feed(chunk):
                    yield line
            reader.end()

    async def _send_lines(
        self,
        method: str,
        path: str,
        lines: Union[Iterable[Line], AsyncIterable[Line]],
        *,
        query: Optional[Mapping[str, Any]] = None,
        takes_key: bool = False,
        options: Optional[RequestOptions] = None,
    ) -> AsyncIterator[Any]:
        async def send(part: _core.Part, sent: int) -> Any:
            call = self._call(
                method,
                path,
                accept=LINES,
                query=query,
                content=part.content(),
                content_type=LINES,
                takes_key=takes_key,
                options=options,
            )

            async def attempt(call: Call, timeout: float) -> Any:
                return _core.results(await self._attempt(call, timeout), sent)

            return await self._repeat(call, attempt)

        sent = 0
        part = _core.Part()
        async for line in _each(lines):
            if part.add(line):
                for result in await send(part, sent):
                    yield result
                sent += len(part)
                part = _core.Part()
        if len(part) > 0:
            for result in await send(part, sent):
                yield result


class AsyncHeliograph(AsyncResources):
    """The service, by resource and operation. Use it as an asynchronous context manager, or close it."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 30.0,
        deadline: float = 90.0,
        max_retries: int = 4,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        """
        api_key: a secret key (sk_…), or a public one for the few operations that take it.
        base_url: where the service is, such as https://push.example.com.
        timeout: seconds that one attempt may take.
        deadline: seconds that a call may take with all its attempts and the waiting between them.
        max_retries: attempts after the first.
        http_client: used in place of one of its own, with its proxies and certificates; it is not closed, and no
            process or event loop but the one that made it may use it.
        """
        self._transport = AsyncTransport(
            _core.settings(api_key, base_url, timeout, deadline, max_retries), http_client
        )
        super().__init__(self._transport)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> "AsyncHeliograph":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
