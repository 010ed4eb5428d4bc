from __future__ import annotations

from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Generic, Iterator, List, Optional, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    data: List[T]
    #: None on the last page.
    next_cursor: Optional[str]


class Pages(Generic[T]):
    """A list: iterate over it for every item, over `pages()`, or take one `page()`. It asks when it has to."""

    def __init__(self, load: Callable[[Optional[str]], Any]) -> None:
        self._load = load

    def page(self) -> Page[T]:
        """The first page, or the one of the cursor that was given."""
        answer = self._load(None)
        return Page(answer["data"], answer["next_cursor"])

    def pages(self) -> Iterator[Page[T]]:
        cursor: Optional[str] = None
        while True:
            answer = self._load(cursor)
            yield Page(answer["data"], answer["next_cursor"])
            cursor = answer["next_cursor"]
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
        answer = await self._load(None)
        return Page(answer["data"], answer["next_cursor"])

    async def pages(self) -> AsyncIterator[Page[T]]:
        cursor: Optional[str] = None
        while True:
            answer = await self._load(cursor)
            yield Page(answer["data"], answer["next_cursor"])
            cursor = answer["next_cursor"]
            if cursor is None:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item
