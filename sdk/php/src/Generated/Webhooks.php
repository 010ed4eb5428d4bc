<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Webhooks
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a webhook.
     *
     * @param array{name: string, url: string, secret?: string|null, events?: list<string>, is_active?: bool} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, url: string, events: list<string>, is_active: bool, disabled_reason: string|null, is_signed: bool, signature_overlap_until: string|null, created_at: string, updated_at: string}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/webhooks', body: $body, takesKey: true, options: $options);
    }

    /**
     * List webhooks.
     *
     * @param array{limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, name: string, url: string, events: list<string>, is_active: bool, disabled_reason: string|null, is_signed: bool, signature_overlap_until: string|null, created_at: string, updated_at: string}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/webhooks', query: $query, options: $options);
    }

    /**
     * Read a webhook.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, url: string, events: list<string>, is_active: bool, disabled_reason: string|null, is_signed: bool, signature_overlap_until: string|null, created_at: string, updated_at: string}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/webhooks/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Change a webhook.
     *
     * @param array{name?: string, url?: string, secret?: string|null, secret_overlap_seconds?: int, events?: list<string>, is_active?: bool} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, url: string, events: list<string>, is_active: bool, disabled_reason: string|null, is_signed: bool, signature_overlap_until: string|null, created_at: string, updated_at: string}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/webhooks/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * Delete a webhook.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/webhooks/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Send a test delivery now.
     *
     * @param array{event?: string} $body
     * @param array{event?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   event: Unless given, the first that the webhook subscribes to.
     * @return array{delivered: bool, response_status: int|null, reason: string|null, latency_ms: int, event_id: string, event: string}
     */
    public function test(string $id, array $body = [], array $query = [], array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/webhooks/' . Transport::segment('id', $id) . '/test', body: $body, query: $query, takesKey: true, options: $options);
    }

    /**
     * List recent deliveries.
     *
     * @param array{event?: string, status?: string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{event_id: string, event: string, status: string, is_paused: bool, attempts: int, attempted_at: list<string>, answers: list<array{response_status: int|null, reason: string|null, latency_ms: int}>, response_status: int|null, reason: string|null, latency_ms: int|null, next_attempt_at: string|null, event_at: string}>
     */
    public function deliveries(string $id, array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/webhooks/' . Transport::segment('id', $id) . '/deliveries', query: $query, options: $options);
    }

    /**
     * Read a delivery with its body.
     *
     * @param array{event_id: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   event_id: As the list of deliveries has it.
     * @return array{event_id: string, event: string, status: string, is_paused: bool, attempts: int, attempted_at: list<string>, answers: list<array{response_status: int|null, reason: string|null, latency_ms: int}>, response_status: int|null, reason: string|null, latency_ms: int|null, next_attempt_at: string|null, event_at: string, body: mixed}
     */
    public function delivery(string $id, array $query, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/webhooks/' . Transport::segment('id', $id) . '/delivery', query: $query, options: $options);
    }

    /**
     * Deliver again what a webhook's receiver missed.
     *
     * @param array{from?: \DateTimeInterface|string, to?: \DateTimeInterface|string, status?: string, delivery_id?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, webhook_id: string, status: string, redelivered: int, wanted: array{from: string|null, to: string|null, status: string|null, delivery_id: string|null}, created_at: string, completed_at: string|null}
     */
    public function redeliver(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/webhooks/' . Transport::segment('id', $id) . '/redeliver', body: $body, takesKey: true, options: $options);
    }

    /**
     * Follow a redelivery.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, webhook_id: string, status: string, redelivered: int, wanted: array{from: string|null, to: string|null, status: string|null, delivery_id: string|null}, created_at: string, completed_at: string|null}
     */
    public function getRedelivery(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/webhooks/redeliveries/' . Transport::segment('id', $id), options: $options);
    }
}
