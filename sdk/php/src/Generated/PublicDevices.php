<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

final class PublicDevices
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Register or refresh a device.
     *
     * @param array{token: string, previous_token?: string, platform: string, user_id?: string|null, tags?: list<string>, timezone?: string|null, environment?: string, metadata?: array<string, mixed>, web_push_p256dh?: string|null, web_push_auth?: string|null} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, created: bool}
     */
    public function create(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/public/devices', body: $body, options: $options);
    }

    /**
     * Remove a device by its token.
     *
     * @param array{token: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function delete(array $body, array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/public/devices', body: $body, options: $options);
    }
}
