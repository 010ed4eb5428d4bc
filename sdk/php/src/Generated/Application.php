<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

final class Application
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * Read the application and its options.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, identity_verification: bool, former_identity_secret_until: string|null, warnings: list<string>, created_at: string}
     */
    public function get(array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/application', options: $options);
    }

    /**
     * Change the application's options.
     *
     * @param array{name?: string, identity_verification?: bool} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{id: string, name: string, identity_verification: bool, former_identity_secret_until: string|null, warnings: list<string>, created_at: string}
     */
    public function update(array $body, array $options = []): array
    {
        return $this->transport->value('PATCH', '/api/v1/application', body: $body, options: $options);
    }

    /**
     * Issue a new identity secret.
     *
     * @param array{overlap_seconds?: int} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{identity_secret: string|null, former_identity_secret_until: string|null}
     */
    public function createIdentitySecret(array $body, array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/application/identity-secret', body: $body, takesKey: true, options: $options);
    }
}
