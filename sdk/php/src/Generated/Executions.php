<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Executions
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List executions.
     *
     * @param array{limit?: int, cursor?: string, workflow_id?: string, status?: string, user_id?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, workflow_id: string, version: int, user_id: string, status: string, step_order: int|null, due_at: string|null, error: string|null, reason: string|null, created_at: string, ended_at: string|null}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/executions', query: $query, options: $options);
    }

    /**
     * Read an execution with its history.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, workflow_id: string, version: int, user_id: string, status: string, step_order: int|null, due_at: string|null, error: string|null, reason: string|null, created_at: string, ended_at: string|null, data: array<string, mixed>, steps: array<string, mixed>, history: list<array{at: string, step_order: int, outcome: string, findings?: list<array{about: string, fits: bool, actual?: mixed}>, branch?: int, until?: string, notification_id?: string, merged_into?: string, count?: int, detail?: string}>}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/executions/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Cancel many executions.
     *
     * @param array{workflow_id?: string, user_id?: string, status?: string, note?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{cancelled: int, is_done: bool}
     */
    public function cancelMany(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/executions/cancel', body: $body, takesKey: true, options: $options);
    }

    /**
     * Cancel an execution.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, workflow_id: string, version: int, user_id: string, status: string, step_order: int|null, due_at: string|null, error: string|null, reason: string|null, created_at: string, ended_at: string|null}
     */
    public function cancel(string $id, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/executions/' . Transport::segment('id', $id) . '/cancel', takesKey: true, options: $options);
    }
}
