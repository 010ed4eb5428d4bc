<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

final class Events
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Report that a push was delivered, opened or clicked.
     *
     * @param array{type: string, notification_id: string, device_id: string, destination?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{accepted: bool}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/events', body: $body, options: $options);
    }

    /**
     * Raise an event of your own.
     *
     * @param array{event: string, user_id: string, data?: array<string, mixed>} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string}
     */
    public function custom(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/events/custom', body: $body, takesKey: true, options: $options);
    }
}
