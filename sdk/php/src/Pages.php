<?php

declare(strict_types=1);

namespace Heliograph;

/**
 * A list: iterate over it for every item, over pages(), or take one page(). It asks when it has to.
 *
 * @template T
 * @implements \IteratorAggregate<int, T>
 */
final class Pages implements \IteratorAggregate
{
    /** @param \Closure(string|null): Page<T> $load */
    public function __construct(private readonly \Closure $load)
    {
    }

    /** @return Page<T> the first, or the one of the cursor that was given */
    public function page(): Page
    {
        return ($this->load)(null);
    }

    /** @return \Generator<int, Page<T>> */
    public function pages(): \Generator
    {
        $cursor = null;
        do {
            $page = ($this->load)($cursor);
            yield $page;
            $cursor = $page->nextCursor;
        } while ($cursor !== null);
    }

    /** @return \Generator<int, T> */
    public function getIterator(): \Generator
    {
        $i = 0;
        foreach ($this->pages() as $page) {
            foreach ($page->data as $item) {
                yield $i++ => $item;
            }
        }
    }
}
