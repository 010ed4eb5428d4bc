<?php

declare(strict_types=1);

namespace Heliograph;

use Heliograph\Generated\Resources;
use Psr\Http\Client\ClientInterface;

/** The service, by resource and operation. */
final class Client extends Resources
{
    public const VERSION = '0.1.0';

    /**
     * @param string $apiKey a secret key (sk_…), or a public one for the few operations that take it
     * @param string $baseUrl where the service is, such as https://push.example.com
     * @param float $timeout seconds that one attempt may take
     * @param float $deadline seconds that a call may take with all its attempts and the waiting between them
     * @param int $maxRetries attempts after the first
     * @param ClientInterface|null $http any PSR-18 client in place of Guzzle; one that is not Guzzle keeps its own
     *     times, and has to follow no redirects; no process but the one that made it may use it
     */
    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        float $timeout = 30.0,
        float $deadline = 90.0,
        int $maxRetries = 4,
        ?ClientInterface $http = null,
    ) {
        parent::__construct(new Transport($apiKey, $baseUrl, $timeout, $deadline, $maxRetries, $http));
    }
}
