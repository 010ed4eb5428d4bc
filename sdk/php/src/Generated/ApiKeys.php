<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class ApiKeys
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List API keys.
     *
     * @param array{limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, kind: string, name: string, prefix: string, created_at: string, last_used_at: string|null}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/api-keys', query: $query, options: $options);
    }

    /**
     * Create an API key.
     *
     * @param array{kind: string, name: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, kind: string, name: string, prefix: string, created_at: string, last_used_at: string|null, key: string|null}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/api-keys', body: $body, takesKey: true, options: $options);
    }

    /**
     * Revoke an API key.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{revoked: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/api-keys/' . Transport::segment('id', $id), options: $options);
    }
}
