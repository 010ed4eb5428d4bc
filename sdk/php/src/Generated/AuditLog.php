<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class AuditLog
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List who changed what.
     *
     * @param array{actor_id?: string, action?: string, target?: string, from?: \DateTimeInterface|string, to?: \DateTimeInterface|string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   actor_id: Made by this key, person or system's user.
     *   action: Such changes.
     *   target: Of this: an id, or a credential's kind.
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, at: string, actor: array{kind: string, id: string|null, email: string|null}, action: string, target: string|null, details: array<string, mixed>}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/audit-log', query: $query, options: $options);
    }
}
