<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class DeadLetters
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List dead letters.
     *
     * @param array{limit?: int, cursor?: string, kind?: string, webhook_id?: string, notification_id?: string, provider?: string, error?: string, from?: \DateTimeInterface|string, to?: \DateTimeInterface|string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     *   error: The whole text of `error`.
     * @return Pages<array{id: string, kind: string, error: string, attempts: int, can_replay: bool, cannot_replay_because: string|null, notification_id: string|null, recipient_id: string|null, provider: string|null, webhook_id: string|null, event_id: string|null, created_at: string, replayed_at: string|null}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/dead-letters', query: $query, options: $options);
    }

    /**
     * Read a dead letter with its content.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, kind: string, error: string, attempts: int, can_replay: bool, cannot_replay_because: string|null, notification_id: string|null, recipient_id: string|null, provider: string|null, webhook_id: string|null, event_id: string|null, created_at: string, replayed_at: string|null, event: mixed, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}|null, template_id: string|null, variables: array<string, mixed>|null}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/dead-letters/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Send a dead letter again.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, notification_id: string}
     */
    public function replay(string $id, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/dead-letters/' . Transport::segment('id', $id) . '/replay', takesKey: true, options: $options);
    }

    /**
     * Send many dead letters again.
     *
     * @param array{kind?: string, webhook_id?: string, notification_id?: string, provider?: string, error?: string, from?: \DateTimeInterface|string, to?: \DateTimeInterface|string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, filter: array{kind?: string, webhook_id?: string, notification_id?: string, provider?: string, error?: string, from?: string, to?: string}, replayed: int, skipped: int, created_at: string, completed_at: string|null}
     */
    public function replayMany(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/dead-letters/replay', body: $body, takesKey: true, options: $options);
    }

    /**
     * List replays.
     *
     * @param array{limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, status: string, filter: array{kind?: string, webhook_id?: string, notification_id?: string, provider?: string, error?: string, from?: string, to?: string}, replayed: int, skipped: int, created_at: string, completed_at: string|null}>
     */
    public function replays(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/dead-letters/replays', query: $query, options: $options);
    }

    /**
     * Follow a replay.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, status: string, filter: array{kind?: string, webhook_id?: string, notification_id?: string, provider?: string, error?: string, from?: string, to?: string}, replayed: int, skipped: int, created_at: string, completed_at: string|null}
     */
    public function getReplay(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/dead-letters/replays/' . Transport::segment('id', $id), options: $options);
    }
}
