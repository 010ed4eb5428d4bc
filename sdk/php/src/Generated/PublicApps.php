<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

final class PublicApps
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Read the key that browsers subscribe with.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{public_key: string}
     */
    public function vapid(string $id, array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/public/apps/' . Transport::segment('id', $id) . '/vapid', options: $options);
    }
}
