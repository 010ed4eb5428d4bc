<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

final class Inbox
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Write to the inboxes of users.
     *
     * @param array{user_ids: list<string>, title?: string, body?: string, url?: string, data?: array<string, mixed>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{created: int}
     */
    public function createMessages(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/inbox/messages', body: $body, takesKey: true, options: $options);
    }
}
