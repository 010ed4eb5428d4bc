<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Templates
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create a template.
     *
     * @param array{name: string, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales?: array<string, mixed>, missing_variables?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, version: int, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales: array<string, mixed>, missing_variables: string, created_at: string, updated_at: string}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/templates', body: $body, takesKey: true, options: $options);
    }

    /**
     * List templates.
     *
     * @param array{limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, name: string, version: int, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales: array<string, mixed>, missing_variables: string, created_at: string, updated_at: string}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/templates', query: $query, options: $options);
    }

    /**
     * Fill a template that is not saved.
     *
     * @param array{content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales?: array<string, mixed>, missing_variables?: string, locale?: string|null, variables?: array<string, mixed>, device?: array<string, mixed>, contact?: array<string, mixed>, contact_id?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{language: string|null, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}}
     */
    public function previewMany(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/templates/preview', body: $body, takesKey: true, options: $options);
    }

    /**
     * Read a template.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, version: int, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales: array<string, mixed>, missing_variables: string, created_at: string, updated_at: string}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/templates/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Change a template.
     *
     * @param array{version?: int, name?: string, content?: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales?: array<string, mixed>, missing_variables?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, version: int, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales: array<string, mixed>, missing_variables: string, created_at: string, updated_at: string}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/templates/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * Remove a template.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/templates/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * List the versions of a template.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return Pages<array{id: string, version: int, name: string, created_at: string, actor: array{kind: string, id: string|null, email: string|null}}>
     */
    public function versions(string $id, array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/templates/' . Transport::segment('id', $id) . '/versions', options: $options);
    }

    /**
     * Read a version of a template.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, version: int, name: string, created_at: string, actor: array{kind: string, id: string|null, email: string|null}, template_id: string, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}, locales: array<string, mixed>, missing_variables: string}
     */
    public function getVersion(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/templates/versions/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Fill a template for an example.
     *
     * @param array{locale?: string|null, variables?: array<string, mixed>, device?: array<string, mixed>, contact?: array<string, mixed>, contact_id?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{language: string|null, content: array{title?: string, body?: string, url?: string, image?: string, data?: array<string, mixed>, subject?: string, html?: string}}
     */
    public function preview(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/templates/' . Transport::segment('id', $id) . '/preview', body: $body, takesKey: true, options: $options);
    }
}
