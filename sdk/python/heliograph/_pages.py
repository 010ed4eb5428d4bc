from __future__ import annotations

from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Generic, Iterator, List, Optional, TypeVar

from ._errors import ConnectionFailed

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    data: List[T]
    #: None on the last page.
    next_cursor: Optional[str]


def _page_of(answer: Dict[str, Any]) -> Page[Any]:
    data, cursor = answer.get("data"), answer.get("next_cursor", False)
    if not isinstance(data, list) or not (cursor is None or isinstance(cursor, str)):
        raise ConnectionFailed("The answer is not the service's: it is no page of a list")
    return Page(data, cursor)


class Pages(Generic[T]):
    """A list: iterate over it for every item, over `pages()`, or take one `page()`. It asks when it has to."""

    def __init__(self, load: Callable[[Optional[str]], Any]) -> None:
        self._load = load

    def page(self) -> Page[T]:
        """The first page, or the one of the cursor that was given."""
        return _page_of(self._load(None))

    def pages(self) -> Iterator[Page[T]]:
        cursor: Optional[str] = None
        while True:
            page: Page[T] = _page_of(self._load(cursor))
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data


class AsyncPages(Generic[T]):
    """A list: iterate over it for every item, over `pages()`, or take one `page()`. It asks when it has to."""

    def __init__(self, load: Callable[[Optional[str]], Awaitable[Any]]) -> None:
        self._load = load

    async def page(self) -> Page[T]:
        """The first page, or the one of the cursor that was given."""
        return _page_of(await self._load(None))

    async def pages(self) -> AsyncIterator[Page[T]]:
        cursor: Optional[str] = None
        while True:
            page: Page[T] = _page_of(await self._load(cursor))
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item
