<?php

declare(strict_types=1);

namespace Heliograph;

/** Whether a delivery is genuine, and its event. */
final class Webhooks
{
    /**
     * @param string $rawBody as it came, before anything parsed it
     * @param string|null $header the value of X-Service-Signature
     * @param string|list<string|false|null> $secret the webhook's secret, or several, one of which has to fit; those that
     *     are empty or missing do not count
     * @param int $tolerance seconds that the signature's time may differ from the clock, either way
     */
    public static function verify(
        string $rawBody,
        ?string $header,
        #[\SensitiveParameter] string|array $secret,
        int $tolerance = 300,
        ?int $now = null,
    ): bool {
        $t = null;
        $signatures = [];
        foreach (explode(',', $header ?? '') as $part) {
            [$name, $value] = array_pad(explode('=', trim($part), 2), 2, '');
            if ($name === 't') {
                $t ??= $value;
            } elseif ($name === 'v1') {
                $signatures[] = $value;
            }
        }
        if ($t === null || !preg_match('/\A[0-9]{1,12}\z/', $t) || abs(($now ?? time()) - (int) $t) > $tolerance) {
            return false;
        }
        $isGenuine = false;
        foreach ((array) $secret as $key) {
            // An empty key would accept what anybody can sign.
            if ((string) $key === '') {
                continue;
            }
            $expected = hash_hmac('sha256', "$t.$rawBody", $key);
            foreach ($signatures as $signature) {
                $isGenuine = hash_equals($expected, $signature) || $isGenuine;
            }
        }
        return $isGenuine;
    }

    /**
     * The event of a delivery that is genuine; else a WebhookVerificationException.
     *
     * @param string|list<string|false|null> $secret
     * @return array{id: string, event: string, appId: string, timestamp: string, payload: array<string, mixed>}
     */
    public static function parse(
        string $rawBody,
        ?string $header,
        #[\SensitiveParameter] string|array $secret,
        int $tolerance = 300,
        ?int $now = null,
    ): array {
        // Nothing is wrong with the delivery.
        if (array_filter((array) $secret, static fn ($key) => (string) $key !== '') === []) {
            throw new \InvalidArgumentException('secret is required, and is empty');
        }
        if (!self::verify($rawBody, $header, $secret, $tolerance, $now)) {
            throw new WebhookVerificationException('The signature is missing, wrong, or too far from the clock');
        }
        return json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR);
    }
}
