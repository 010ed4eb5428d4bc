<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Contacts
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Create or update a contact.
     *
     * @param array{external_id: string, email?: string|null, attributes?: array<string, mixed>, tags?: list<string>, locale?: string|null, timezone?: string|null} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, created: bool}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/contacts', body: $body, takesKey: true, options: $options);
    }

    /**
     * List contacts.
     *
     * @param array{external_id?: string, tag?: string, segment_id?: string, search?: string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   segment_id: Whom this segment holds now; beside other filters, whom all of them fit.
     *   search: Those whose `external_id`, e-mail address or attribute `name` begins so, whatever the case; in the order of what they are found by. Not beside other filters.
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, external_id: string, email: string|null, attributes: array<string, mixed>, tags: list<string>, locale: string|null, timezone: string|null, preferences: array{push: bool, email: bool, inbox: bool}, created_at: string, updated_at: string}>
     */
    public function list(array $query = [], array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/contacts', query: $query, options: $options);
    }

    /**
     * Create or update up to 1,000 contacts.
     *
     * @param array{contacts: list<array<string, mixed>>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{data: list<array{index: int, id?: string, created?: bool, error?: array{code: string, message: string, details: list<array<string, mixed>>}}>}
     */
    public function bulk(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/contacts/bulk', body: $body, takesKey: true, options: $options);
    }

    /**
     * Add and remove tags of many contacts.
     *
     * @param array{external_ids: list<string>, add?: list<string>, remove?: list<string>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{updated: int, unknown: list<string>, full: list<string>}
     */
    public function tagsMany(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/contacts/tags', body: $body, takesKey: true, options: $options);
    }

    /**
     * Create or update many contacts.
     *
     * @param iterable<array{external_id: string, email?: string|null, attributes?: array<string, mixed>, tags?: list<string>, locale?: string|null, timezone?: string|null}|string> $lines
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return \Generator<int, array{line: int, id?: string, created?: bool, error?: array{code: string, message: string, details: list<array{field: string, message: string, line?: int, column?: int}>}}>
     */
    public function import(iterable $lines, array $options = []): \Generator
    {
        return $this->transport->sendLines('POST', '/api/v1/contacts/import', $lines, options: $options);
    }

    /**
     * Add and remove tags of a contact.
     *
     * @param array{add?: list<string>, remove?: list<string>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, external_id: string, email: string|null, attributes: array<string, mixed>, tags: list<string>, locale: string|null, timezone: string|null, preferences: array{push: bool, email: bool, inbox: bool}, created_at: string, updated_at: string}
     */
    public function tags(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/contacts/' . Transport::segment('id', $id) . '/tags', body: $body, takesKey: true, options: $options);
    }

    /**
     * Read a contact.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, external_id: string, email: string|null, attributes: array<string, mixed>, tags: list<string>, locale: string|null, timezone: string|null, preferences: array{push: bool, email: bool, inbox: bool}, created_at: string, updated_at: string}
     */
    public function get(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/contacts/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Update a contact.
     *
     * @param array{email?: string|null, attributes?: array<string, mixed>, tags?: list<string>, locale?: string|null, timezone?: string|null} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, external_id: string, email: string|null, attributes: array<string, mixed>, tags: list<string>, locale: string|null, timezone: string|null, preferences: array{push: bool, email: bool, inbox: bool}, created_at: string, updated_at: string}
     */
    public function update(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/contacts/' . Transport::segment('id', $id), body: $body, options: $options);
    }

    /**
     * Delete a person.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(string $id, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/contacts/' . Transport::segment('id', $id), options: $options);
    }

    /**
     * Read what a contact wants to get.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{push: bool, email: bool, inbox: bool}
     */
    public function preferences(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/contacts/' . Transport::segment('id', $id) . '/preferences', options: $options);
    }

    /**
     * Unsubscribe a contact, or subscribe it again.
     *
     * @param array{all?: bool, push?: bool, email?: bool, inbox?: bool} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{push: bool, email: bool, inbox: bool}
     */
    public function updatePreferences(string $id, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/contacts/' . Transport::segment('id', $id) . '/preferences', body: $body, options: $options);
    }

    /**
     * Add and remove tags of a contact, by your own id.
     *
     * @param array{add?: list<string>, remove?: list<string>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, external_id: string, email: string|null, attributes: array<string, mixed>, tags: list<string>, locale: string|null, timezone: string|null, preferences: array{push: bool, email: bool, inbox: bool}, created_at: string, updated_at: string}
     */
    public function tagsByExternalId(string $externalId, array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/contacts/by-external-id/' . Transport::segment('external_id', $externalId) . '/tags', body: $body, takesKey: true, options: $options);
    }

    /**
     * Read a contact, by your own id.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, external_id: string, email: string|null, attributes: array<string, mixed>, tags: list<string>, locale: string|null, timezone: string|null, preferences: array{push: bool, email: bool, inbox: bool}, created_at: string, updated_at: string}
     */
    public function getByExternalId(string $externalId, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/contacts/by-external-id/' . Transport::segment('external_id', $externalId), options: $options);
    }

    /**
     * Update a contact, by your own id.
     *
     * @param array{email?: string|null, attributes?: array<string, mixed>, tags?: list<string>, locale?: string|null, timezone?: string|null} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, external_id: string, email: string|null, attributes: array<string, mixed>, tags: list<string>, locale: string|null, timezone: string|null, preferences: array{push: bool, email: bool, inbox: bool}, created_at: string, updated_at: string}
     */
    public function updateByExternalId(string $externalId, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/contacts/by-external-id/' . Transport::segment('external_id', $externalId), body: $body, options: $options);
    }

    /**
     * Delete a person, by your own id.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function deleteByExternalId(string $externalId, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/contacts/by-external-id/' . Transport::segment('external_id', $externalId), options: $options);
    }

    /**
     * Read what a contact wants to get, by your own id.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{push: bool, email: bool, inbox: bool}
     */
    public function preferencesByExternalId(string $externalId, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/contacts/by-external-id/' . Transport::segment('external_id', $externalId) . '/preferences', options: $options);
    }

    /**
     * Unsubscribe a contact, or subscribe it again, by your own id.
     *
     * @param array{all?: bool, push?: bool, email?: bool, inbox?: bool} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{push: bool, email: bool, inbox: bool}
     */
    public function updatePreferencesByExternalId(string $externalId, array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/contacts/by-external-id/' . Transport::segment('external_id', $externalId) . '/preferences', body: $body, options: $options);
    }
}
