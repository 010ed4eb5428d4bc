<?php

declare(strict_types=1);

namespace Heliograph;

/** The service answered, and refused. */
final class ApiException extends HeliographException
{
    /**
     * @param string $errorCode "unknown" for an answer that is not the service's own, such as a proxy's
     * @param list<array{field: string, message: string}> $details what is wrong with which field
     * @param float|null $retryAfter seconds that the service asks to wait
     */
    public function __construct(
        public readonly int $status,
        public readonly string $errorCode,
        string $message,
        public readonly array $details,
        public readonly ?string $requestId,
        public readonly ?float $retryAfter,
    ) {
        parent::__construct("$status $errorCode: $message", $status);
    }
}
