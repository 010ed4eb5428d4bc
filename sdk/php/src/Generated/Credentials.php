<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Pages;
use Heliograph\Transport;

final class Credentials
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * List provider credentials.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return Pages<array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}>
     */
    public function list(array $options = []): Pages
    {
        return $this->transport->pages('GET', '/api/v1/credentials', options: $options);
    }

    /**
     * Set the APNs credential.
     *
     * @param array{team_id: string, key_id: string, private_key: string, bundle_id: string, endpoint?: string, sandbox_endpoint?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function setApns(array $body, array $options = []): array
    {
        return $this->transport->value('PUT', '/api/v1/credentials/apns', body: $body, options: $options);
    }

    /**
     * Read the APNs credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function getApns(array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/credentials/apns', options: $options);
    }

    /**
     * Remove the APNs credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function deleteApns(array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/credentials/apns', options: $options);
    }

    /**
     * Check the APNs credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, status: string, reason: string|null, checked_at: string}
     */
    public function checkApns(array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/credentials/apns/check', takesKey: true, options: $options);
    }

    /**
     * Set the FCM credential.
     *
     * @param array{service_account?: array{project_id: string, client_email: string, private_key: string, token_uri?: string}, endpoint?: string, type?: string, project_id?: string, client_email?: string, private_key?: string, token_uri?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function setFcm(array $body, array $options = []): array
    {
        return $this->transport->value('PUT', '/api/v1/credentials/fcm', body: $body, options: $options);
    }

    /**
     * Read the FCM credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function getFcm(array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/credentials/fcm', options: $options);
    }

    /**
     * Remove the FCM credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function deleteFcm(array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/credentials/fcm', options: $options);
    }

    /**
     * Check the FCM credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, status: string, reason: string|null, checked_at: string}
     */
    public function checkFcm(array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/credentials/fcm/check', takesKey: true, options: $options);
    }

    /**
     * Set the Web Push credential.
     *
     * @param array{subject: string, public_key?: string, private_key?: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function setWebpush(array $body, array $options = []): array
    {
        return $this->transport->value('PUT', '/api/v1/credentials/webpush', body: $body, options: $options);
    }

    /**
     * Read the Web Push credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function getWebpush(array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/credentials/webpush', options: $options);
    }

    /**
     * Remove the Web Push credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function deleteWebpush(array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/credentials/webpush', options: $options);
    }

    /**
     * Check the Web Push credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, status: string, reason: string|null, checked_at: string}
     */
    public function checkWebpush(array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/credentials/webpush/check', takesKey: true, options: $options);
    }

    /**
     * Set the e-mail credential.
     *
     * @param array{url: string, from: string} $body
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function setSmtp(array $body, array $options = []): array
    {
        return $this->transport->value('PUT', '/api/v1/credentials/smtp', body: $body, options: $options);
    }

    /**
     * Read the e-mail credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, settings: array<string, mixed>, suspended_reason: string|null, updated_at: string}
     */
    public function getSmtp(array $options = []): array
    {
        return $this->transport->value('GET', '/api/v1/credentials/smtp', options: $options);
    }

    /**
     * Remove the e-mail credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{deleted: bool}
     */
    public function deleteSmtp(array $options = []): array
    {
        return $this->transport->value('DELETE', '/api/v1/credentials/smtp', options: $options);
    }

    /**
     * Check the e-mail credential.
     *
     * @param array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options
     * @return array{kind: string, status: string, reason: string|null, checked_at: string}
     */
    public function checkSmtp(array $options = []): array
    {
        return $this->transport->value('POST', '/api/v1/credentials/smtp/check', takesKey: true, options: $options);
    }
}
