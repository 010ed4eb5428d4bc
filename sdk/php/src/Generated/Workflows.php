<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Workflows
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a workflow.
     *
     * @param array{name: string, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, status: string, version: int, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry: string, created_at: string, updated_at: string, warnings: list<array{field: string, message: string}>}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/workflows', body: $body, takesKey: true, options: $options);
    }

    /**
     * List workflows.
     *
     * @param array{limit?: int, cursor?: string, status?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, name: string, status: string, version: int, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry: string, created_at: string, updated_at: string}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/workflows', query: $query, options: $options);
    }

    /**
     * Read a workflow.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, status: string, version: int, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry: string, created_at: string, updated_at: string}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/workflows/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Change a workflow.
     *
     * @param array{name?: string, trigger?: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps?: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry?: string, version?: int} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, status: string, version: int, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry: string, created_at: string, updated_at: string, warnings: list<array{field: string, message: string}>}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/workflows/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * Remove a workflow.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/workflows/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Count runs by step.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{version: int, steps: list<array{step_order: int, key: string, type: string, entered: int, passed: int, stopped: int, failed: int, waiting: int}>}
     */
    public function statistics(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/workflows/' . Transport::segment('id', $id) . '/statistics', options: $options);
    }

    /**
     * List the versions of a workflow.
     *
     * @param array{limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, version: int, created_at: string, actor: array{kind: string, id: string|null, email: string|null}, runs: int}>
     */
    public function versions(string $id, array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/workflows/' . Transport::segment('id', $id) . '/versions', query: $query, options: $options);
    }

    /**
     * Read a version of a workflow.
     *
     * @param array{version?: int} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   version: Its number. Left out: the latest.
     * @return array{id: string, version: int, created_at: string, actor: array{kind: string, id: string|null, email: string|null}, runs: int, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry: string}
     */
    public function version(string $id, array $query = [], array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/workflows/' . Transport::segment('id', $id) . '/version', query: $query, options: $options);
    }

    /**
     * Activate a workflow.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, status: string, version: int, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry: string, created_at: string, updated_at: string, warnings: list<array{field: string, message: string}>}
     */
    public function activate(string $id, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/workflows/' . Transport::segment('id', $id) . '/activate', takesKey: true, options: $options);
    }

    /**
     * Archive a workflow.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, status: string, version: int, trigger: array{type: string, event?: string, tag?: string, segment_id?: string, cron?: string, timezone?: string, to?: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}}, steps: list<array{key: string, name?: string, type: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, channels?: list<string>, template_id?: string, variables?: array<string, mixed>, ttl?: int, priority?: string, collapse_key?: string, overrides?: array{apns?: array<string, mixed>, fcm?: array<string, mixed>, web?: array<string, mixed>}, track?: array{opens?: bool, clicks?: bool}, wait_for_outcome?: bool, seconds?: int, until?: string, window?: array{from: string, to: string, days?: list<int>}, timezone?: string, conditions?: array{tags_any?: list<string>, tags_all?: list<string>, tags_none?: list<string>, platforms?: list<string>, timezones?: list<string>, locales?: list<string>, attributes?: list<array<string, mixed>>, last_seen?: array<string, mixed>, engagement?: list<array<string, mixed>>, data?: list<array<string, mixed>>, steps?: list<array<string, mixed>>, any?: list<array<string, mixed>>}, branches?: list<array{conditions: array<string, mixed>, steps: list<array<string, mixed>>}>, else?: list<array<string, mixed>>, by?: string, sliding?: bool, at_most?: int, per_seconds?: int, method?: string, url?: string, headers?: array<string, mixed>, body?: array<string, mixed>, tags_add?: list<string>, tags_remove?: list<string>, attributes?: array<string, mixed>, event?: string, match?: array{event: string, run: string}}>, reentry: string, created_at: string, updated_at: string}
     */
    public function archive(string $id, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/workflows/' . Transport::segment('id', $id) . '/archive', takesKey: true, options: $options);
    }

    /**
     * Let people enter a workflow.
     *
     * @param array{to: array{all?: bool, user_ids?: list<string>, tags_any?: list<string>, tags_all?: list<string>, segment_id?: string}, data?: array<string, mixed>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{executions: int, execution_id: string|null}
     */
    public function trigger(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/workflows/' . Transport::segment('id', $id) . '/trigger', body: $body, takesKey: true, options: $options);
    }

    /**
     * Try a workflow without sending.
     *
     * @param array{user_id?: string, contact?: array{attributes?: array<string, mixed>, tags?: list<string>, locale?: string|null, timezone?: string|null}, data?: array<string, mixed>, outcomes?: array<string, mixed>, events?: array<string, mixed>, answers?: array<string, mixed>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{status: string, error: string|null, history: list<array{at: string, step_order: int, outcome: string, findings?: list<array{about: string, fits: bool, actual?: mixed}>, branch?: int, until?: string, notification_id?: string, merged_into?: string, count?: int, detail?: string}>, messages: list<array{key: string, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}|null, problem: string|null}>}
     */
    public function dryRun(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/workflows/' . Transport::segment('id', $id) . '/dry-run', body: $body, takesKey: true, options: $options);
    }
}
