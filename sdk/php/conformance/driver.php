<?php

// The conformance suite's command (sdk/conformance): a request a line in, an answer a line out.

declare(strict_types=1);

use Heliograph\ApiException;
use Heliograph\Client;
use Heliograph\ConnectionException;
use Heliograph\Page;
use Heliograph\Pages;
use Heliograph\TimeoutException;
use Heliograph\WebhookVerificationException;
use Heliograph\Webhooks;

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Heliograph\\')) {
        require __DIR__ . '/../src/' . str_replace('\\', '/', substr($class, 11)) . '.php';
    }
});
// Composer's, or Debian's.
require is_file(__DIR__ . '/../vendor/autoload.php') ? __DIR__ . '/../vendor/autoload.php' : 'GuzzleHttp/autoload.php';

function problemOf(Throwable $error): array
{
    $kind = match (true) {
        $error instanceof ApiException => 'api',
        $error instanceof TimeoutException => 'timeout',
        $error instanceof ConnectionException => 'connection',
        $error instanceof WebhookVerificationException => 'webhook',
        $error instanceof InvalidArgumentException => 'usage',
        default => 'other',
    };
    $problem = ['kind' => $kind, 'message' => $error::class . ': ' . $error->getMessage()];
    if (!$error instanceof ApiException) {
        return $problem;
    }
    return $problem + [
        'status' => $error->status,
        'code' => $error->errorCode,
        'details' => $error->details,
        'request_id' => $error->requestId,
        'retry_after_ms' => $error->retryAfter === null ? null : (int) round($error->retryAfter * 1000),
    ];
}

function made(int $count): Generator
{
    // Lines so long that those of a large import do not fit into the memory that a small one needs.
    $tail = str_repeat('x', 300);
    for ($i = 0; $i < $count; $i++) {
        yield ['token' => "made-$i-$tail", 'platform' => 'android'];
    }
}

function revive(mixed $value): mixed
{
    if (!is_array($value)) {
        return $value;
    }
    if (isset($value['$odd'])) {
        return ['nan' => NAN, 'infinity' => INF, 'text' => "\xff", 'other' => STDIN][$value['$odd']];
    }
    return isset($value['$time']) ? new DateTimeImmutable($value['$time']) : array_map(revive(...), $value);
}

function plain(mixed $value): mixed
{
    return $value instanceof Page ? ['data' => $value->data, 'next_cursor' => $value->nextCursor] : $value;
}

/** What a process has for an answer that begins as a copy of this one. */
function inChild(callable $ask): mixed
{
    [$reader, $writer] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
    $child = pcntl_fork();
    if ($child === 0) {
        try {
            $said = $ask();
        } catch (Throwable $error) {
            $said = problemOf($error);
        }
        fwrite($writer, json_encode($said, JSON_THROW_ON_ERROR));
        exit;
    }
    fclose($writer);
    $answer = json_decode(stream_get_contents($reader), true, flags: JSON_THROW_ON_ERROR);
    pcntl_waitpid($child, $status);
    return $answer;
}

function run(array $request, array &$answer): void
{
    if (in_array($request['call'], ['verify', 'parse'], true)) {
        $body = base64_decode($request['body_base64']);
        $do = [Webhooks::class, $request['call']];
        $how = ['tolerance' => $request['tolerance_seconds'] ?? 300, 'now' => $request['now'] ?? null];
        $answer['value'] = $do($body, $request['header'], $request['secrets'], ...$how);
        return;
    }
    $settings = $request['client'];
    $client = new Client(
        $settings['api_key'],
        $settings['base_url'],
        ($settings['timeout_ms'] ?? 30000) / 1000,
        ($settings['deadline_ms'] ?? 90000) / 1000,
        $settings['max_retries'] ?? 4,
    );
    $options = $request['options'] ?? [];
    foreach (['timeout', 'deadline'] as $name) {
        if (isset($options["{$name}_ms"])) {
            $options[$name] = $options["{$name}_ms"] / 1000;
            unset($options["{$name}_ms"]);
        }
    }
    [$resource, $name] = explode('.', $request['call']);
    $given = $request['ids'] ?? [];
    if (isset($request['lines']) || isset($request['generate'])) {
        $given[] = $request['lines'] ?? made($request['generate']);
    }
    $named = array_intersect_key($request, ['body' => true, 'query' => true]) + ['options' => $options];
    $ask = static fn () => $client->$resource->$name(...$given, ...$named);
    if (isset($request['fork'])) {
        $answer['items'] = [$ask(), inChild($ask), $ask()];
        return;
    }
    $result = $ask();
    $as = $request['as'] ?? 'value';
    if ($as === 'value') {
        $answer['value'] = plain($result instanceof Pages ? $result->page() : $result);
    } elseif ($as === 'count') {
        $answer += ['count' => 0, 'errors' => 0];
        foreach ($result as $item) {
            $answer['count']++;
            $answer['errors'] += isset($item['error']) ? 1 : 0;
        }
    } else {
        $answer['items'] = [];
        foreach ($as === 'pages' ? $result->pages() : $result as $item) {
            $answer['items'][] = plain($item);
            if (count($answer['items']) === ($request['take'] ?? 0)) {
                break;
            }
        }
    }
}

while (($line = fgets(STDIN)) !== false) {
    $answer = [];
    try {
        run(revive(json_decode($line, true, flags: JSON_THROW_ON_ERROR)), $answer);
    } catch (Throwable $error) {
        $answer['error'] = problemOf($error);
    }
    echo json_encode($answer === [] ? new stdClass() : $answer, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION), "\n";
}
