<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

final class Track
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Confirm that a push was delivered.
     *
     * @param array{notification_id: string, device_id: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{accepted: bool}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/track', body: $body, options: $options);
    }
}
