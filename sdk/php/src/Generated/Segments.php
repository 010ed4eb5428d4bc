<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Segments
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a segment.
     *
     * @param array{name: string, filter: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array{name: string, op: string, value?: mixed}>, last_seen?: array{within_days?: int, not_within_days?: int}, engagement?: list<array{type: string, within_days: int, not?: bool}>}} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, filter: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array{name: string, op: string, value?: mixed}>, last_seen?: array{within_days?: int, not_within_days?: int}, engagement?: list<array{type: string, within_days: int, not?: bool}>}, created_at: string, updated_at: string}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/segments', body: $body, takesKey: true, options: $options);
    }

    /**
     * List segments.
     *
     * @param array{limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, name: string, filter: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array{name: string, op: string, value?: mixed}>, last_seen?: array{within_days?: int, not_within_days?: int}, engagement?: list<array{type: string, within_days: int, not?: bool}>}, created_at: string, updated_at: string}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/segments', query: $query, options: $options);
    }

    /**
     * Count whom conditions fit now.
     *
     * @param array{filter: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array{name: string, op: string, value?: mixed}>, last_seen?: array{within_days?: int, not_within_days?: int}, engagement?: list<array{type: string, within_days: int, not?: bool}>}} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{recipients: int, devices: int, emails: int, is_exact: bool}
     */
    public function countMany(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/segments/count', body: $body, takesKey: true, options: $options);
    }

    /**
     * Read a segment.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, filter: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array{name: string, op: string, value?: mixed}>, last_seen?: array{within_days?: int, not_within_days?: int}, engagement?: list<array{type: string, within_days: int, not?: bool}>}, created_at: string, updated_at: string}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/segments/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Change a segment.
     *
     * @param array{name?: string, filter?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array{name: string, op: string, value?: mixed}>, last_seen?: array{within_days?: int, not_within_days?: int}, engagement?: list<array{type: string, within_days: int, not?: bool}>}} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, filter: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array{name: string, op: string, value?: mixed}>, last_seen?: array{within_days?: int, not_within_days?: int}, engagement?: list<array{type: string, within_days: int, not?: bool}>}, created_at: string, updated_at: string}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/segments/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * Remove a segment.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/segments/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Count who is in a segment now.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{recipients: int, devices: int, emails: int, is_exact: bool}
     */
    public function count(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/segments/' . Transport::segment('id', $id) . '/count', options: $options);
    }
}
