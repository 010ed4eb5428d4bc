<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Notifications
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Cancel a notification.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, priority: string, title: string|null, template_id: string|null, workflow_id: string|null, workflow_step: string|null, counts: array{accepted: int, pending: int, sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}, send_at: string|null, local_time: string|null, created_at: string, updated_at: string|null, started_at: string|null, completed_at: string|null}
     */
    public function cancel(string $id, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/notifications/' . Transport::segment('id', $id) . '/cancel', takesKey: true, options: $options);
    }

    /**
     * Pause a notification.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, priority: string, title: string|null, template_id: string|null, workflow_id: string|null, workflow_step: string|null, counts: array{accepted: int, pending: int, sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}, send_at: string|null, local_time: string|null, created_at: string, updated_at: string|null, started_at: string|null, completed_at: string|null}
     */
    public function pause(string $id, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/notifications/' . Transport::segment('id', $id) . '/pause', takesKey: true, options: $options);
    }

    /**
     * Resume a paused notification.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, priority: string, title: string|null, template_id: string|null, workflow_id: string|null, workflow_step: string|null, counts: array{accepted: int, pending: int, sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}, send_at: string|null, local_time: string|null, created_at: string, updated_at: string|null, started_at: string|null, completed_at: string|null}
     */
    public function resume(string $id, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/notifications/' . Transport::segment('id', $id) . '/resume', takesKey: true, options: $options);
    }

    /**
     * Send a notification.
     *
     * @param array{to: array{all?: bool, device_ids?: list<string>, user_ids?: list<string>, channel_ids?: list<string>, emails?: list<string>, tags_any?: list<string>, tags_all?: list<string>, platforms?: list<string>, timezone?: string, locale?: string, attributes?: list<array{name: string, op: string, value?: mixed}>, segment_id?: string}, channels?: list<string>, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, send_at?: \DateTimeInterface|string, local_time?: string, timezone?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, skipped?: array{count: int, ids: list<string>}}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/notifications', body: $body, takesKey: true, options: $options);
    }

    /**
     * List notifications.
     *
     * @param array{status?: string, created_from?: \DateTimeInterface|string, created_to?: \DateTimeInterface|string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   status: In this state now.
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, status: string, priority: string, title: string|null, template_id: string|null, workflow_id: string|null, workflow_step: string|null, counts: array{accepted: int, pending: int, sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}, send_at: string|null, local_time: string|null, created_at: string, updated_at: string|null, started_at: string|null, completed_at: string|null}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/notifications', query: $query, options: $options);
    }

    /**
     * See what a notification would do.
     *
     * @param array{to: array{all?: bool, device_ids?: list<string>, user_ids?: list<string>, channel_ids?: list<string>, emails?: list<string>, tags_any?: list<string>, tags_all?: list<string>, platforms?: list<string>, timezone?: string, locale?: string, attributes?: list<array{name: string, op: string, value?: mixed}>, segment_id?: string}, channels?: list<string>, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, send_at?: \DateTimeInterface|string, local_time?: string, timezone?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{recipients: int, is_exact: bool, providers: list<array{provider: string, recipients: int, credential: string, payload: array{bytes: int, limit: int, fits: bool}|null, sample: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}|null, problem: array{field: string, code: string, message: string}|null}>, skipped: array{count: int, ids: list<string>}|null}
     */
    public function preview(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/notifications/preview', body: $body, takesKey: true, options: $options);
    }

    /**
     * Read a notification and its counts.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, priority: string, title: string|null, template_id: string|null, workflow_id: string|null, workflow_step: string|null, counts: array{accepted: int, pending: int, sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}, send_at: string|null, local_time: string|null, created_at: string, updated_at: string|null, started_at: string|null, completed_at: string|null, to: array{all?: bool, device_ids?: list<string>, user_ids?: list<string>, channel_ids?: list<string>, emails?: list<string>, tags_any?: list<string>, tags_all?: list<string>, platforms?: list<string>, timezone?: string, locale?: string, attributes?: list<array{name: string, op: string, value?: mixed}>, segment_id?: string}, channels: list<string>|null, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}|null, variables: array<string, mixed>|null, ttl: int|null, timezone: string|null, collapse_key: string|null, overrides: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}|null, track: array{opens?: bool, clicks?: bool}|null, skipped: array{count: int, ids: list<string>}|null}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/notifications/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Change a scheduled notification.
     *
     * @param array{to?: array{all?: bool, device_ids?: list<string>, user_ids?: list<string>, channel_ids?: list<string>, emails?: list<string>, tags_any?: list<string>, tags_all?: list<string>, platforms?: list<string>, timezone?: string, locale?: string, attributes?: list<array{name: string, op: string, value?: mixed}>, segment_id?: string}, channels?: list<string>|null, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}|null, template_id?: string|null, variables?: array<string, mixed>|null, ttl?: int|null, priority?: string|null, send_at?: \DateTimeInterface|string|null, local_time?: string|null, timezone?: string|null, collapse_key?: string|null, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}|null, track?: array{opens?: bool, clicks?: bool}|null} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, priority: string, title: string|null, template_id: string|null, workflow_id: string|null, workflow_step: string|null, counts: array{accepted: int, pending: int, sent: int, failed: int, skipped: int, cancelled: int, delivered: int, opened: int, clicked: int, machine_opened: int, machine_clicked: int}, send_at: string|null, local_time: string|null, created_at: string, updated_at: string|null, started_at: string|null, completed_at: string|null, to: array{all?: bool, device_ids?: list<string>, user_ids?: list<string>, channel_ids?: list<string>, emails?: list<string>, tags_any?: list<string>, tags_all?: list<string>, platforms?: list<string>, timezone?: string, locale?: string, attributes?: list<array{name: string, op: string, value?: mixed}>, segment_id?: string}, channels: list<string>|null, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}|null, variables: array<string, mixed>|null, ttl: int|null, timezone: string|null, collapse_key: string|null, overrides: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}|null, track: array{opens?: bool, clicks?: bool}|null, skipped: array{count: int, ids: list<string>}|null}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/notifications/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * List what became of each recipient.
     *
     * @param array{status?: string, error?: string, user_id?: string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   error: Exactly this code, as `unregistered`.
     *   user_id: The devices and channels of the person with this id of the application's own.
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, device_id: string|null, channel_id: string|null, provider: string, status: string, message_id: string|null, error: string|null, attempts: int, completed_at: string, delivered_at: string|null, opened_at: string|null, clicked_at: string|null}>
     */
    public function deliveries(string $id, array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/notifications/' . Transport::segment('id', $id) . '/deliveries', query: $query, options: $options);
    }

    /**
     * Count why recipients ended as they did.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{data: list<array{provider: string, status: string, error: string|null, count: int}>}
     */
    public function outcomes(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/notifications/' . Transport::segment('id', $id) . '/outcomes', options: $options);
    }

    /**
     * Say what pending recipients wait for.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{data: list<array{provider: string, error: string|null, attempts: int, recipients: int, next_at: string|null}>}
     */
    public function retries(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/notifications/' . Transport::segment('id', $id) . '/retries', options: $options);
    }

    /**
     * Read a notification's counts by provider.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{data: list<array{provider: string, accepted: int, pending: int, sent: int, failed: int, skipped: int, cancelled: int}>}
     */
    public function stats(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/notifications/' . Transport::segment('id', $id) . '/stats', options: $options);
    }

    /**
     * List what webhooks were told of a recipient.
     *
     * @param array{recipient_id: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   recipient_id: The device, or the channel.
     * @return array{data: list<array{webhook_id: string, event_id: string, event: string, status: string, is_paused: bool, attempts: int, attempted_at: list<string>, answers: list<array{response_status: int|null, reason: string|null, latency_ms: int}>, response_status: int|null, reason: string|null, latency_ms: int|null, next_attempt_at: string|null, event_at: string}>}
     */
    public function webhookDeliveries(string $id, array $query, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/notifications/' . Transport::segment('id', $id) . '/webhook-deliveries', query: $query, options: $options);
    }
}
