<?php

declare(strict_types=1);

namespace Heliograph;

use GuzzleHttp\ClientInterface as Guzzle;
use GuzzleHttp\Psr7\FnStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Utils;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * How calls are made, tried again, and read.
 *
 * @internal
 */
final class Transport
{
    private const FIRST_WAIT = 0.25;
    private const LONGEST_WAIT = 20.0;
    private const JSON = 'application/json';
    private const LINES = 'application/x-ndjson';
    /** A part of an import has at most so many lines, and about so many bytes. */
    private const LINES_OF_A_PART = 2000;
    private const BYTES_OF_A_PART = 1024 * 1024;
    private const OPTIONS = ['timeout', 'deadline', 'max_retries', 'idempotency_key', 'headers'];

    private readonly string $authorization;
    private readonly string $base;
    /**
     * Those of other processes, each with its connections. Kept, as curl takes leave of the service when it is freed, on
     * connections that the other process goes on with.
     *
     * @var list<ClientInterface>
     */
    private static array $foreign = [];
    private ?ClientInterface $own = null;
    private int $pid = 0;

    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        private readonly float $timeout,
        private readonly float $deadline,
        private readonly int $maxRetries,
        private readonly ?ClientInterface $given,
    ) {
        if (!preg_match('/\A[!-~]+\z/', $apiKey)) {
            throw new \InvalidArgumentException('apiKey must be a key as it was shown: sk_… or pk_…');
        }
        $url = parse_url($baseUrl);
        $isUsable = is_array($url) && in_array($url['scheme'] ?? '', ['http', 'https'], true) && ($url['host'] ?? '') !== '';
        if (!$isUsable || isset($url['user']) || isset($url['pass'])) {
            throw new \InvalidArgumentException('baseUrl must be the address of the service, such as https://push.example.com');
        }
        $port = isset($url['port']) ? ":{$url['port']}" : '';
        $this->base = "{$url['scheme']}://{$url['host']}$port" . rtrim($url['path'] ?? '', '/');
        $this->authorization = (str_starts_with($apiKey, 'pk_') ? 'Public' : 'ApiKey') . " $apiKey";
    }

    /** An id as one part of a path. */
    public static function segment(string $name, string $value): string
    {
        // Empty, it would make another address of it, that of the list; dots lead elsewhere, percent-encoded too.
        if (in_array($value, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException("$name must not be \"$value\"");
        }
        return self::encoded($name, $value);
    }

    private static function encoded(string $name, string $value): string
    {
        if (!preg_match('//u', $value)) {
            throw new \InvalidArgumentException("$name must be UTF-8");
        }
        return rawurlencode($value);
    }

    public function value(string $method, string $path, ?array $body = null, array $query = [], bool $takesKey = false, array $options = []): array
    {
        // What has no fields is an object still.
        $content = $body === null ? null : self::encode($body === [] ? new \stdClass() : $body);
        $request = $this->request($method, $path, self::JSON, $content, self::JSON, $query, $takesKey, $options);
        return $this->attempts($request, $options, fn (float $timeout) => self::decode($this->whole($request, $timeout)));
    }

    public function pages(string $method, string $path, array $query = [], array $options = []): Pages
    {
        return new Pages(function (?string $cursor) use ($method, $path, $query, $options): Page {
            $asked = $cursor === null ? $query : ['cursor' => $cursor] + $query;
            $answer = $this->value($method, $path, query: $asked, options: $options);
            $data = $answer['data'] ?? null;
            $next = $answer['next_cursor'] ?? null;
            $isPage = is_array($data) && array_is_list($data) && array_key_exists('next_cursor', $answer);
            if (!$isPage || !($next === null || is_string($next))) {
                throw new ConnectionException('The answer is not the service\'s: it is no page of a list');
            }
            return new Page($data, $next);
        });
    }

    public function lines(string $method, string $path, array $query = [], array $options = []): \Generator
    {
        $request = $this->request($method, $path, self::LINES, null, self::JSON, $query, false, $options);
        $rest = '';
        foreach ($this->chunks($request, $options) as $chunk) {
            $lines = explode("\n", $rest . $chunk);
            $rest = array_pop($lines);
            foreach ($lines as $line) {
                if ($line !== '') {
                    yield self::decode($line);
                }
            }
        }
        if ($rest !== '') {
            throw new ConnectionException('The answer broke off in the middle of a line');
        }
    }

    /**
     * A body as it comes. Only the beginning has to come in time, and is tried again. PHP's own streams take a chunked
     * body that breaks off for one that ends; curl does not, so it runs in a fiber that hands over what it is given.
     *
     * @return \Generator<int, string>
     */
    private function chunks(Request $request, array $options): \Generator
    {
        if (!$this->http() instanceof Guzzle) {
            $body = $this->attempts($request, $options, fn (float $timeout) => $this->receive($request, $timeout))->getBody();
            while (!$body->eof()) {
                yield $body->read(65536);
            }
            return;
        }
        $fiber = null;
        $chunk = $this->attempts($request, $options, function (float $timeout) use ($request, &$fiber): ?string {
            $fiber = new \Fiber(fn () => $this->receive($request, $timeout, self::handingOver($timeout)));
            return $fiber->start();
        });
        while (!$fiber->isTerminated()) {
            yield $chunk;
            $chunk = $fiber->resume();
        }
    }

    /** Options of Guzzle that suspend the present fiber with each piece of a successful body. */
    private static function handingOver(float $timeout): array
    {
        $isSuccess = false;
        $last = self::clock();
        $refused = Utils::streamFor('');
        return [
            'timeout' => 0,
            'on_headers' => static function (ResponseInterface $response) use (&$isSuccess): void {
                $isSuccess = $response->getStatusCode() >= 200 && $response->getStatusCode() < 300;
            },
            'progress' => static function () use (&$last, $timeout): void {
                if (self::clock() - $last > $timeout) {
                    throw new TimeoutException(sprintf('Nothing came for %.3F s', $timeout));
                }
            },
            'sink' => FnStream::decorate($refused, [
                'write' => static function (string $chunk) use (&$isSuccess, &$last, $refused): int {
                    if ($isSuccess) {
                        \Fiber::suspend($chunk);
                        $last = self::clock();
                        return strlen($chunk);
                    }
                    return $refused->write($chunk);
                },
            ]),
        ];
    }

    /** Each part is a call of its own, which can be repeated; results are numbered on from part to part. */
    public function sendLines(string $method, string $path, iterable $lines, array $query = [], bool $takesKey = false, array $options = []): \Generator
    {
        $sent = 0;
        foreach (self::parts($lines) as [$content, $count]) {
            $request = $this->request($method, $path, self::LINES, $content, self::LINES, $query, $takesKey, $options);
            $results = $this->attempts($request, $options, fn (float $timeout) => self::results($this->whole($request, $timeout)));
            foreach ($results as $result) {
                yield ['line' => $result['line'] + $sent] + $result;
            }
            $sent += $count;
        }
    }

    /** One whose connections are this process's alone: two that ask on the same one get each other's answers. */
    private function http(): ClientInterface
    {
        if ($this->given !== null) {
            return $this->given;
        }
        if ($this->own === null || $this->pid !== getmypid()) {
            $this->forget();
            $this->own = new \GuzzleHttp\Client();
            $this->pid = getmypid();
        }
        return $this->own;
    }

    public function __destruct()
    {
        if ($this->pid !== getmypid()) {
            $this->forget();
        }
    }

    private function forget(): void
    {
        if ($this->own !== null) {
            self::$foreign[] = $this->own;
        }
    }

    private function request(string $method, string $path, string $accept, ?string $content, string $type, array $query, bool $takesKey, array $options): Request
    {
        $unknown = array_diff(array_keys($options), self::OPTIONS);
        if ($unknown !== []) {
            throw new \InvalidArgumentException('Unknown options: ' . implode(', ', $unknown));
        }
        $headers = ['Authorization' => $this->authorization, 'Accept' => $accept, 'User-Agent' => 'heliograph-php/' . Client::VERSION];
        if ($content !== null) {
            $headers['Content-Type'] = $type;
        }
        if ($takesKey) {
            $key = $options['idempotency_key'] ?? self::newKey();
            if (!preg_match('/\A[!-~]{1,255}\z/', $key)) {
                throw new \InvalidArgumentException('idempotency_key must be 1 to 255 printable ASCII characters without spaces');
            }
            $headers['Idempotency-Key'] = $key;
        }
        return new Request($method, $this->base . $path . self::query($query), ($options['headers'] ?? []) + $headers, $content);
    }

    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    private static function query(array $query): string
    {
        $pairs = [];
        foreach ($query as $name => $value) {
            foreach (is_array($value) ? $value : [$value] as $one) {
                if ($one !== null) {
                    $pairs[] = rawurlencode((string) $name) . '=' . self::encoded((string) $name, self::text($one));
                }
            }
        }
        return $pairs === [] ? '' : '?' . implode('&', $pairs);
    }

    private static function text(mixed $value): string
    {
        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            $value instanceof \DateTimeInterface => $value->format(\DateTimeInterface::RFC3339_EXTENDED),
            default => (string) $value,
        };
    }

    /**
     * @template A
     * @param callable(float): A $attempt
     * @return A
     */
    private function attempts(Request $request, array $options, callable $attempt): mixed
    {
        $end = self::clock() + ($options['deadline'] ?? $this->deadline);
        $maxRetries = $options['max_retries'] ?? $this->maxRetries;
        for ($tries = 0;; $tries++) {
            try {
                return $attempt(min($options['timeout'] ?? $this->timeout, max(0.001, $end - self::clock())));
            } catch (HeliographException $error) {
                $wait = self::waitAfter($error, $tries);
                if ($wait === null || $tries >= $maxRetries || self::clock() + $wait >= $end) {
                    throw $error;
                }
            }
            usleep((int) ($wait * 1_000_000));
        }
    }

    /** Seconds until another attempt; null where it would not help. */
    private static function waitAfter(HeliographException $error, int $tries): ?float
    {
        $chance = random_int(0, 1_000_000) / 1_000_000;
        if ($error instanceof ApiException) {
            $again = in_array($error->status, [408, 429], true) || $error->status >= 500;
            // A conflict that says when to come again: the first try of the same call is still at work.
            if (!$again && !($error->status === 409 && $error->retryAfter !== null)) {
                return null;
            }
            if ($error->retryAfter !== null) {
                // A little more, so that not all clients come back at the same moment.
                return $error->retryAfter + $chance * min(1.0, 0.1 + $error->retryAfter / 4);
            }
        }
        return (0.5 + $chance / 2) * min(self::LONGEST_WAIT, self::FIRST_WAIT * 2 ** $tries);
    }

    private function whole(Request $request, float $timeout): string
    {
        $end = self::clock() + $timeout;
        $response = $this->receive($request, $timeout);
        try {
            $content = '';
            $body = $response->getBody();
            while (!$body->eof()) {
                $content .= $body->read(65536);
                if (self::clock() > $end) {
                    throw new TimeoutException(sprintf('No whole answer within %.3F s', $timeout));
                }
            }
        } catch (\RuntimeException $cause) {
            throw $cause instanceof HeliographException ? $cause : new ConnectionException('The answer broke off', 0, $cause);
        }
        $length = $response->getHeaderLine('Content-Length');
        if ($length !== '' && !$response->hasHeader('Content-Encoding') && strlen($content) < (int) $length) {
            throw new ConnectionException('The answer is not whole');
        }
        return $content;
    }

    /** One attempt. */
    private function receive(Request $request, float $timeout, array $more = []): ResponseInterface
    {
        try {
            $http = $this->http();
            $response = $http instanceof Guzzle
                ? $http->send($request, $more + [
                    'timeout' => $timeout,
                    'connect_timeout' => $timeout,
                    'http_errors' => false,
                    'allow_redirects' => false,
                ])
                : $http->sendRequest($request);
        } catch (ClientExceptionInterface $cause) {
            $isLate = str_contains($cause->getMessage(), 'timed out') || str_contains($cause->getMessage(), 'cURL error 28');
            throw $isLate
                ? new TimeoutException(sprintf('No answer within %.3F s', $timeout), 0, $cause)
                : new ConnectionException('No answer: ' . $cause->getMessage(), 0, $cause);
        }
        $status = $response->getStatusCode();
        return $status >= 200 && $status < 300 ? $response : throw self::apiException($response);
    }

    private static function apiException(ResponseInterface $response): ApiException
    {
        // What is not JSON is a proxy's page.
        $body = json_decode((string) $response->getBody(), true);
        $error = is_array($body) && is_array($body['error'] ?? null) ? $body['error'] : [];
        $requestId = $response->getHeaderLine('X-Request-Id');
        return new ApiException(
            $response->getStatusCode(),
            is_string($error['code'] ?? null) ? $error['code'] : 'unknown',
            is_string($error['message'] ?? null) ? $error['message'] : $response->getReasonPhrase(),
            is_array($error['details'] ?? null) && array_is_list($error['details']) ? $error['details'] : [],
            $error['request_id'] ?? ($requestId === '' ? null : $requestId),
            self::retryAfter($response->getHeaderLine('Retry-After')),
        );
    }

    /** Seconds, or a date: both are allowed in HTTP. */
    private static function retryAfter(string $header): ?float
    {
        if (preg_match('/\A[0-9]+\z/', $header)) {
            return (float) $header;
        }
        // What is no date of HTTP's may be one to strtotime: 1.5 is five past one.
        $at = preg_match('/\A[A-Z][a-z]+[ ,]/', $header) ? strtotime($header) : false;
        return $at === false ? null : max(0.0, $at - microtime(true));
    }

    private static function encode(mixed $value): string
    {
        if (is_array($value)) {
            // With times as the service writes them, wherever they are.
            array_walk_recursive($value, static function (mixed &$one): void {
                $one = $one instanceof \DateTimeInterface ? self::text($one) : $one;
            });
        }
        try {
            return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION);
        } catch (\JsonException $cause) {
            throw new \InvalidArgumentException('No JSON: ' . $cause->getMessage(), 0, $cause);
        }
    }

    /** An answer, or a line of one: each of the service's is an object. */
    private static function decode(string $text): array
    {
        $value = json_decode($text, true);
        if (!is_array($value)) {
            throw new ConnectionException('The answer is not JSON');
        }
        // Decoded, an empty object and an empty list are the same.
        return ltrim($text)[0] === '{' ? $value : throw new ConnectionException('The answer is not the service\'s: it is no object');
    }

    private static function results(string $content): array
    {
        if ($content !== '' && !str_ends_with($content, "\n")) {
            throw new ConnectionException('The answer broke off in the middle of a line');
        }
        $results = array_map(self::decode(...), array_values(array_filter(explode("\n", $content), static fn (string $line) => $line !== '')));
        foreach ($results as $result) {
            if (!is_int($result['line'] ?? null)) {
                throw new ConnectionException('The answer is not the service\'s: a result has no line');
            }
        }
        return $results;
    }

    /** @return \Generator<int, array{string, int}> */
    private static function parts(iterable $lines): \Generator
    {
        $content = '';
        $count = 0;
        foreach ($lines as $line) {
            $content .= (is_string($line) ? trim($line) : self::encode($line)) . "\n";
            if (++$count >= self::LINES_OF_A_PART || strlen($content) >= self::BYTES_OF_A_PART) {
                yield [$content, $count];
                $content = '';
                $count = 0;
            }
        }
        if ($count > 0) {
            yield [$content, $count];
        }
    }

    private static function clock(): float
    {
        return hrtime(true) / 1e9;
    }
}
