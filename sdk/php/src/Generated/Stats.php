<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

final class Stats
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Count what happened, by day and provider.
     *
     * @param array{from?: string, to?: string, group_by?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   group_by: `day` unless given.
     * @return array{from: string, to: string, group_by: string, total: array{sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}, data: list<array{day?: string, provider?: string, sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}>}
     */
    public function get(array $query = [], array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/stats', query: $query, options: $options);
    }
}
