from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, TypeVar, Union

import httpx

from . import _core
from ._core import JSON, LINES, Call, RequestOptions
from ._errors import HeliographError, TimedOut
from ._generated.resources import Resources
from ._pages import Pages

A = TypeVar("A")


class Transport:
    def __init__(self, settings: _core.Settings, given: Optional[httpx.Client]) -> None:
        self._settings = settings
        self._is_own = given is None
        self._opened = (os.getpid(), httpx.Client() if given is None else given)

    def _http(self) -> httpx.Client:
        """
        One whose connections are this process's alone: two that ask on the same one get each other's answers.

        What was the parent's before a fork is forgotten. Closing it would take leave of the service on connections
        that the parent goes on with, and could wait for ever for a lock that a thread of the parent had.
        """
        pid, http = self._opened
        if self._is_own and pid != os.getpid():
            http = httpx.Client()
            self._opened = (os.getpid(), http)
        return http

    def close(self) -> None:
        pid, http = self._opened
        if self._is_own and pid == os.getpid():
            http.close()

    def _attempt(self, call: Call, timeout: float) -> bytes:
        end = time.monotonic() + timeout
        with self._open(call, timeout) as response:
            chunks = []
            for chunk in response.iter_bytes():
                chunks.append(chunk)
                if time.monotonic() > end:
                    raise TimedOut(f"No whole answer within {timeout:.3g} s")
            return b"".join(chunks)

    @contextlib.contextmanager
    def _open(self, call: Call, timeout: float) -> Iterator[httpx.Response]:
        try:
            with self._http().stream(
                call.method,
                call.url,
                headers=call.headers,
                content=call.content,
                timeout=timeout,
                follow_redirects=False,
            ) as response:
                if not response.is_success:
                    raise _core.api_error(response, response.read())
                yield response
        except httpx.HTTPError as cause:
            raise _core.failed(cause, timeout) from cause

    def _repeat(self, call: Call, attempt: Callable[[Call, float], A]) -> A:
        end = time.monotonic() + call.deadline
        tries = 0
        while True:
            try:
                return attempt(call, min(call.timeout, max(0.001, end - time.monotonic())))
            except HeliographError as error:
                wait = _core.wait_after(error, tries)
                if wait is None or tries >= call.max_retries or time.monotonic() + wait >= end:
                    raise
            time.sleep(wait)
            tries += 1

    def _call(self, method: str, path: str, **given: Any) -> Call:
        return _core.call(self._settings, method, path, **given)

    def _value(
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
        return self._repeat(call, lambda call, timeout: _core.decode(self._attempt(call, timeout)))

    def _pages(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[RequestOptions] = None,
    ) -> Pages[Any]:
        def load(cursor: Optional[str]) -> Any:
            asked = {**(query or {}), **({} if cursor is None else {"cursor": cursor})}
            return self._value(method, path, query=asked, options=options)

        return Pages(load)

    def _lines(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        options: Optional[RequestOptions] = None,
    ) -> Iterator[Any]:
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

        def begin(call: Call, timeout: float) -> Any:
            stack = contextlib.ExitStack()
            return stack, stack.enter_context(self._open(call, timeout))

        # Only the beginning has to come in time: the lines take as long as they are many.
        stack, response = self._repeat(call, begin)
        with stack:
            reader = _core.LineReader()
            for chunk in response.iter_bytes():
                yield from reader.feed(chunk)
            reader.end()

    def _send_lines(
        self,
        method: str,
        path: str,
        lines: Iterable[Union[str, Mapping[str, Any]]],
        *,
        query: Optional[Mapping[str, Any]] = None,
        takes_key: bool = False,
        options: Optional[RequestOptions] = None,
    ) -> Iterator[Any]:
        def send(part: _core.Part, sent: int) -> Any:
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
            return self._repeat(call, lambda call, timeout: _core.results(self._attempt(call, timeout), sent))

        sent = 0
        part = _core.Part()
        for line in lines:
            if part.add(line):
                yield from send(part, sent)
                sent += len(part)
                part = _core.Part()
        if len(part) > 0:
            yield from send(part, sent)


class Heliograph(Resources):
    """The service, by resource and operation. Use it as a context manager, or close it."""

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 30.0,
        deadline: float = 90.0,
        max_retries: int = 4,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        """
        api_key: a secret key (sk_…), or a public one for the few operations that take it.
        base_url: where the service is, such as https://push.example.com.
        timeout: seconds that one attempt may take.
        deadline: seconds that a call may take with all its attempts and the waiting between them.
        max_retries: attempts after the first.
        http_client: used in place of one of its own, with its proxies and certificates; it is not closed, and no
            process but the one that made it may use it.
        """
        self._transport = Transport(
            _core.settings(api_key, base_url, timeout, deadline, max_retries), http_client
        )
        super().__init__(self._transport)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> "Heliograph":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
