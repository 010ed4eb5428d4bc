<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Channels
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a channel.
     *
     * @param array{kind: string, address?: string, user_id?: string|null} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, created: bool}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/channels', body: $body, takesKey: true, options: $options);
    }

    /**
     * List channels.
     *
     * @param array{status?: string, contact_id?: string, address?: string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   address: Compared without case.
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, kind: string, address: string|null, contact_id: string|null, status: string, created_at: string}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/channels', query: $query, options: $options);
    }

    /**
     * Read a channel.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, kind: string, address: string|null, contact_id: string|null, status: string, created_at: string}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/channels/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Unsubscribe a channel, or subscribe it again.
     *
     * @param array{status: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, kind: string, address: string|null, contact_id: string|null, status: string, created_at: string}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/channels/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * Remove a channel.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/channels/' . Transport::segment('id', $id), options: $options);
    }
}
