<?php

declare(strict_types=1);

namespace Heliograph;

/**
 * A part of a list.
 *
 * @template T
 */
final class Page
{
    /**
     * @param list<T> $data
     * @param string|null $nextCursor null on the last page
     */
    public function __construct(public readonly array $data, public readonly ?string $nextCursor)
    {
    }
}
