package dev.heliograph.internal;

import dev.heliograph.ApiException;
import dev.heliograph.ConnectionException;
import dev.heliograph.Heliograph;
import dev.heliograph.HeliographException;
import dev.heliograph.Lines;
import dev.heliograph.Page;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.TimeoutException;
import dev.heliograph.model.Shape;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How calls are made, tried again, and read. */
public final class Transport {
  private static final double FIRST_WAIT = 0.25;
  private static final double LONGEST_WAIT = 20;
  /** What cannot be waited for is as good as this, and can be added to. */
  private static final Duration LONGEST_ASKED = Duration.ofDays(36_500);

  private static final String JSON = "application/json";
  private static final String LINES = "application/x-ndjson";
  /** A part of an import has at most so many lines, and about so many characters. */
  private static final int LINES_OF_A_PART = 2000;

  private static final int LENGTH_OF_A_PART = 1024 * 1024;

  private final String authorization;
  private final String base;
  private final Duration timeout;
  private final Duration deadline;
  private final int maxRetries;
  private final HttpClient http;

  public Transport(
      String apiKey, String baseUrl, Duration timeout, Duration deadline, int maxRetries, @Nullable HttpClient http) {
    if (apiKey == null || !apiKey.matches("[!-~]+")) {
      throw new IllegalArgumentException("apiKey must be a key as it was shown: sk_… or pk_…");
    }
    URI url = parse(baseUrl);
    this.authorization = (apiKey.startsWith("pk_") ? "Public " : "ApiKey ") + apiKey;
    this.base = url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath().replaceAll("/+$", "");
    this.timeout = timeout;
    this.deadline = deadline;
    this.maxRetries = maxRetries;
    // Without TLS nothing says that the other side knows HTTP/2.
    HttpClient.Version version =
        url.getScheme().equals("http") ? HttpClient.Version.HTTP_1_1 : HttpClient.Version.HTTP_2;
    this.http =
        http != null
            ? http
            : HttpClient.newBuilder().version(version).followRedirects(HttpClient.Redirect.NEVER).build();
  }

  private static URI parse(String baseUrl) {
    try {
      URI url = URI.create(baseUrl);
      boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (isHttp && url.getHost() != null && url.getUserInfo() == null) return url;
    } catch (IllegalArgumentException | NullPointerException e) {
      // As below.
    }
    throw new IllegalArgumentException("baseUrl must be the address of the service, such as https://push.example.com");
  }

  public <A> A value(Call call, Function<Map<String, @Nullable Object>, A> read) {
    byte[] content = call.body == null ? null : bytes(Json.write(call.body));
    HttpRequest.Builder request = request(call, JSON, JSON, content);
    return attempts(call, left -> read.apply(decode(text(whole(request, left)))));
  }

  public <A> Pages<A> pages(Call call, Function<Map<String, @Nullable Object>, A> read) {
    return new Pages<>(
        cursor -> {
          Call asked = cursor == null ? call : call.with(Map.of("cursor", cursor));
          return value(asked, json -> page(json, read));
        });
  }

  @SuppressWarnings("unchecked")
  private static <A> Page<A> page(
      Map<String, @Nullable Object> json, Function<Map<String, @Nullable Object>, A> read) {
    Object next = json.get("next_cursor");
    boolean isLast = next == null && json.containsKey("next_cursor");
    if (json.get("data") instanceof List<?> data
        && data.stream().allMatch(Map.class::isInstance)
        && (isLast || next instanceof String)) {
      List<A> items = data.stream().map(item -> read.apply((Map<String, @Nullable Object>) item)).toList();
      return new Page<>(items, (String) next);
    }
    throw new ConnectionException("The answer is not the service's: it is no page of a list", null);
  }

  public <A> Lines<A> lines(Call call, Function<Map<String, @Nullable Object>, A> read) {
    return new Lines<>() {
      private @Nullable LineReader reader = null;
      private @Nullable String next = null;

      private LineReader begin() {
        HttpRequest.Builder request = request(call, LINES, JSON, null);
        // Only the beginning has to come in time: the lines take as long as they are many.
        InputStream body = attempts(call, left -> receive(request, left, BodyHandlers.ofInputStream()));
        return new LineReader(body);
      }

      @Override
      public boolean hasNext() {
        if (reader == null) reader = begin();
        if (next == null) next = reader.line();
        return next != null;
      }

      @Override
      public A next() {
        if (!hasNext()) throw new NoSuchElementException();
        String line = next;
        next = null;
        return read.apply(decode(line));
      }

      @Override
      public void close() {
        if (reader != null) reader.close();
      }
    };
  }

  /** Each part is a call of its own, which can be repeated; results are numbered on from part to part. */
  public <A> Lines<A> sendLines(
      Call call, Iterable<? extends Shape> lines, Function<Map<String, @Nullable Object>, A> read) {
    return new Lines<>() {
      private final Iterator<? extends Shape> items = lines.iterator();
      private Iterator<Map<String, @Nullable Object>> results = List.<Map<String, @Nullable Object>>of().iterator();
      private long sent = 0;

      private void send() {
        StringBuilder part = new StringBuilder();
        int count = 0;
        while (items.hasNext() && count < LINES_OF_A_PART && part.length() < LENGTH_OF_A_PART) {
          part.append(Json.write(items.next())).append('\n');
          count++;
        }
        HttpRequest.Builder request = request(call, LINES, LINES, bytes(part.toString()));
        List<Map<String, @Nullable Object>> found = attempts(call, left -> resultsOf(text(whole(request, left))));
        for (Map<String, @Nullable Object> result : found) {
          result.put("line", (Long) result.get("line") + sent);
        }
        sent += count;
        results = found.iterator();
      }

      @Override
      public boolean hasNext() {
        while (!results.hasNext() && items.hasNext()) send();
        return results.hasNext();
      }

      @Override
      public A next() {
        if (!hasNext()) throw new NoSuchElementException();
        return read.apply(results.next());
      }
    };
  }

  private HttpRequest.Builder request(Call call, String accept, String type, byte @Nullable [] content) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Authorization", authorization);
    headers.put("Accept", accept);
    headers.put("User-Agent", "heliograph-java/" + Heliograph.VERSION);
    if (content != null) headers.put("Content-Type", type);
    if (call.takesKey) {
      String key = call.options.idempotencyKey();
      if (key != null && !key.matches("[!-~]{1,255}")) {
        throw new IllegalArgumentException("The idempotency key must be 1 to 255 printable ASCII characters without spaces");
      }
      headers.put("Idempotency-Key", key == null ? UUID.randomUUID().toString() : key);
    }
    headers.putAll(call.options.headers());
    URI url = URI.create(base + call.path + (call.query.isEmpty() ? "" : "?" + call.query));
    HttpRequest.Builder request = HttpRequest.newBuilder(url);
    headers.forEach(request::setHeader);
    return request.method(
        call.method,
        content == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofByteArray(content));
  }

  private <A> A attempts(Call call, Function<Duration, A> attempt) {
    RequestOptions options = call.options;
    Duration whole = options.deadline() == null ? deadline : options.deadline();
    Duration each = options.timeout() == null ? timeout : options.timeout();
    int most = options.maxRetries() == null ? maxRetries : options.maxRetries();
    long end = System.nanoTime() + whole.toNanos();
    for (int tries = 0; ; tries++) {
      try {
        Duration left = Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime()));
        return attempt.apply(left.compareTo(each) < 0 ? left : each);
      } catch (HeliographException e) {
        Duration wait = waitAfter(e, tries);
        if (wait == null || tries >= most || System.nanoTime() + wait.toNanos() - end >= 0) throw e;
        sleep(wait);
      }
    }
  }

  private static void sleep(Duration wait) {
    try {
      Thread.sleep(wait.toMillis());
    } catch (InterruptedException e) {
      throw cancelled();
    }
  }

  private static CancellationException cancelled() {
    Thread.currentThread().interrupt();
    return new CancellationException("The thread was interrupted");
  }

  /** Until another attempt; null where it would not help. */
  private static @Nullable Duration waitAfter(HeliographException error, int tries) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    if (error instanceof ApiException api) {
      int status = api.status();
      Duration asked = api.retryAfter();
      // A conflict that says when to come again: the first try of the same call is still at work.
      boolean again = status == 429 || status == 408 || status >= 500 || (status == 409 && asked != null);
      if (!again) return null;
      // A little more, so that not all clients come back at the same moment.
      if (asked != null) return asked.plusMillis(random.nextLong(1 + Math.min(1000, 100 + asked.toMillis() / 4)));
    }
    double seconds = (0.5 + random.nextDouble() / 2) * Math.min(LONGEST_WAIT, FIRST_WAIT * Math.pow(2, tries));
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  private byte[] whole(HttpRequest.Builder request, Duration left) {
    return receive(request, left, BodyHandlers.ofByteArray());
  }

  /** One attempt. The time is for all that the handler does before it gives the body. */
  private <B> B receive(HttpRequest.Builder request, Duration left, HttpResponse.BodyHandler<B> success) {
    HttpResponse.BodyHandler<Object> handler =
        info ->
            info.statusCode() / 100 == 2
                ? HttpResponse.BodySubscribers.mapping(success.apply(info), body -> (Object) body)
                : HttpResponse.BodySubscribers.mapping(BodyHandlers.ofByteArray().apply(info), body -> (Object) body);
    CompletableFuture<HttpResponse<Object>> answer = http.sendAsync(request.build(), handler);
    try {
      HttpResponse<Object> response = answer.get(left.toNanos(), TimeUnit.NANOSECONDS);
      if (response.statusCode() / 100 != 2) throw refusal(response);
      @SuppressWarnings("unchecked")
      B body = (B) response.body();
      return body;
    } catch (java.util.concurrent.TimeoutException e) {
      answer.cancel(true);
      throw new TimeoutException("No answer within " + left.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      throw cancelled();
    } catch (ExecutionException e) {
      throw new ConnectionException("No whole answer: " + e.getCause(), e.getCause());
    }
  }

  @SuppressWarnings("unchecked")
  private static ApiException refusal(HttpResponse<Object> response) {
    Map<String, @Nullable Object> error = Map.of();
    try {
      Map<String, @Nullable Object> body = Json.readObject(text((byte[]) response.body()));
      if (body.get("error") instanceof Map<?, ?> map) error = (Map<String, @Nullable Object>) map;
    } catch (Json.Malformed e) {
      // A proxy's page.
    }
    List<ApiException.Detail> details = new ArrayList<>();
    if (error.get("details") instanceof List<?> list) {
      for (Object one : list) {
        if (one instanceof Map<?, ?> map) {
          details.add(new ApiException.Detail(String.valueOf(map.get("field")), String.valueOf(map.get("message"))));
        }
      }
    }
    return new ApiException(
        response.statusCode(),
        error.get("code") instanceof String code ? code : "unknown",
        error.get("message") instanceof String message ? message : "refused",
        details,
        error.get("request_id") instanceof String id ? id : response.headers().firstValue("x-request-id").orElse(null),
        retryAfter(response.headers().firstValue("retry-after").orElse("")));
  }

  /** Seconds, or a date: both are allowed in HTTP. */
  private static @Nullable Duration retryAfter(String header) {
    if (header.matches("[0-9]{1,9}")) return Duration.ofSeconds(Long.parseLong(header));
    if (header.matches("[0-9]+")) return LONGEST_ASKED;
    try {
      Instant at = ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration wait = Duration.between(Instant.now(), at);
      if (wait.isNegative()) return Duration.ZERO;
      return wait.compareTo(LONGEST_ASKED) > 0 ? LONGEST_ASKED : wait;
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Map<String, @Nullable Object> decode(String text) {
    try {
      return Json.readObject(text);
    } catch (Json.Malformed e) {
      throw new ConnectionException("The answer is not JSON", e);
    }
  }

  private static List<Map<String, @Nullable Object>> resultsOf(String content) {
    if (!content.isEmpty() && !content.endsWith("\n")) throw cutOff(null);
    List<Map<String, @Nullable Object>> results =
        content.lines().filter(line -> !line.isEmpty()).map(Transport::decode).toList();
    if (results.stream().allMatch(result -> result.get("line") instanceof Long)) return results;
    throw new ConnectionException("The answer is not the service's: a result has no line", null);
  }

  private static ConnectionException cutOff(@Nullable Throwable cause) {
    return new ConnectionException("The answer broke off before its end", cause);
  }

  /** Lines of bytes that come in any pieces. */
  private static final class LineReader {
    private final InputStream body;
    private final byte[] buffer = new byte[64 * 1024];
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private int at = 0;
    private int end = 0;

    LineReader(InputStream body) {
      this.body = body;
    }

    /** The next that is not empty; null at the end. */
    @Nullable String line() {
      try {
        while (true) {
          int start = at;
          while (at < end && buffer[at] != '\n') at++;
          rest.write(buffer, start, at - start);
          if (at < end) {
            at++;
            String line = rest.toString(StandardCharsets.UTF_8);
            rest.reset();
            if (!line.isEmpty()) return line;
            continue;
          }
          end = body.read(buffer);
          at = 0;
          if (end >= 0) continue;
          end = 0;
          if (rest.size() > 0) throw cutOff(null);
          return null;
        }
      } catch (IOException e) {
        throw cutOff(e);
      }
    }

    void close() {
      try {
        body.close();
      } catch (IOException e) {
        // Nobody reads it any longer.
      }
    }
  }
}
