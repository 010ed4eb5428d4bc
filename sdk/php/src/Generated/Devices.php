<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Devices
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List devices.
     *
     * @param array{platform?: string, environment?: string, status?: string, user_id?: string, tags_any?: list<string>, tags_all?: list<string>, created_from?: \DateTimeInterface|string, created_before?: \DateTimeInterface|string, last_seen_from?: \DateTimeInterface|string, last_seen_before?: \DateTimeInterface|string, segment_id?: string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   tags_any: With one of these tags at least; repeat the parameter for several.
     *   tags_all: With all of these tags.
     *   segment_id: Whom this segment holds now; beside other filters, whom all of them fit.
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, platform: string, token: string, user_id: string|null, tags: list<string>, timezone: string|null, environment: string, metadata: array<string, mixed>, web_push_p256dh: string|null, web_push_auth: string|null, status: string, invalid_reason: string|null, created_at: string, last_seen_at: string}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/devices', query: $query, options: $options);
    }

    /**
     * Read a device.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, platform: string, token: string, user_id: string|null, tags: list<string>, timezone: string|null, environment: string, metadata: array<string, mixed>, web_push_p256dh: string|null, web_push_auth: string|null, status: string, invalid_reason: string|null, created_at: string, last_seen_at: string}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/devices/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Change a device.
     *
     * @param array{user_id?: string|null, tags?: list<string>, timezone?: string|null, environment?: string, metadata?: array<string, mixed>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, platform: string, token: string, user_id: string|null, tags: list<string>, timezone: string|null, environment: string, metadata: array<string, mixed>, web_push_p256dh: string|null, web_push_auth: string|null, status: string, invalid_reason: string|null, created_at: string, last_seen_at: string}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/devices/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * Remove a device.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/devices/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Register many devices.
     *
     * @param iterable<array{token: string, previous_token?: string, platform: string, user_id?: string|null, tags?: list<string>, timezone?: string|null, environment?: string, metadata?: array<string, mixed>, web_push_p256dh?: string|null, web_push_auth?: string|null}|string> $lines
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return \Generator<int, array{line: int, id?: string, created?: bool, error?: array{code: string, message: string, details: list<array{field: string, message: string, line?: int, column?: int}>}}>
     */
    public function import(iterable $lines, array $options = []): \Generator
    {
        return $this->transport->sendLines('POST', '/api/v1/devices/import', $lines, options: $options);
    }

    /**
     * Export devices.
     *
     * @param array{platform?: string, environment?: string, status?: string, user_id?: string, tags_any?: list<string>, tags_all?: list<string>, created_from?: \DateTimeInterface|string, created_before?: \DateTimeInterface|string, last_seen_from?: \DateTimeInterface|string, last_seen_before?: \DateTimeInterface|string, segment_id?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   tags_any: With one of these tags at least; repeat the parameter for several.
     *   tags_all: With all of these tags.
     *   segment_id: Whom this segment holds now; beside other filters, whom all of them fit.
     * @return \Generator<int, array{id: string, platform: string, token: string, user_id: string|null, tags: list<string>, timezone: string|null, environment: string, metadata: array<string, mixed>, web_push_p256dh: string|null, web_push_auth: string|null, status: string, invalid_reason: string|null, created_at: string, last_seen_at: string}>
     */
    public function export(array $query = [], array $options = []): \Generator
    {
        return $this->transport->lines('GET', '/api/v1/devices/export', query: $query, options: $options);
    }
}
