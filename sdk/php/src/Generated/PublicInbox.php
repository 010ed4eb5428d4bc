<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class PublicInbox
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List the messages of a user's inbox.
     *
     * @param array{user_id: string, limit?: int, cursor?: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   user_id: Whose inbox: your own id of the person.
     *   limit: How many to return, at most. 50 unless given.
     *   cursor: `next_cursor` of the page before. Leave it out for the first page.
     * @return Pages<array{id: string, title: string|null, body: string|null, url: string|null, data: array<string, mixed>, created_at: string, read_at: string|null}>
     */
    public function list(array $query, array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/public/inbox', query: $query, options: $options);
    }

    /**
     * Count a user's unread messages.
     *
     * @param array{user_id: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   user_id: Whose inbox: your own id of the person.
     * @return array{unread_count: int}
     */
    public function unreadCount(array $query, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/public/inbox/unread_count', query: $query, options: $options);
    }

    /**
     * Mark one message as read.
     *
     * @param array{user_id: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   user_id: Whose inbox: your own id of the person.
     * @return array{id: string, title: string|null, body: string|null, url: string|null, data: array<string, mixed>, created_at: string, read_at: string|null}
     */
    public function read(string $id, array $query, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/public/inbox/' . Transport::segment('id', $id) . '/read', query: $query, options: $options);
    }

    /**
     * Mark all of a user's messages as read.
     *
     * @param array{user_id: string} $query
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     *   user_id: Whose inbox: your own id of the person.
     * @return array{read: int}
     */
    public function readAll(array $query, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/public/inbox/read_all', query: $query, options: $options);
    }
}
