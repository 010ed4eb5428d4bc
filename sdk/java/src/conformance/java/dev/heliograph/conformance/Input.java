package dev.heliograph.conformance;

import dev.heliograph.ApiException;
import dev.heliograph.Heliograph;
import dev.heliograph.Lines;
import dev.heliograph.Page;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.model.ImportResult;
import dev.heliograph.model.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A request of the suite, and what is answered. */
@SuppressWarnings("unchecked")
final class Input {
  final Map<String, Object> request;
  final Map<String, Object> answer = new LinkedHashMap<>();

  Input(Map<String, Object> request) {
    this.request = request;
  }

  Map<String, Object> object(String name) {
    return (Map<String, Object>) request.getOrDefault(name, Map.of());
  }

  String id(int i) {
    return ((List<String>) request.get("ids")).get(i);
  }

  private static Duration millis(Object value) {
    return value == null ? null : Duration.ofMillis(((Number) value).longValue());
  }

  Heliograph client() {
    Map<String, Object> given = object("client");
    Heliograph.Builder builder = Heliograph.builder((String) given.get("api_key"), (String) given.get("base_url"));
    if (given.get("timeout_ms") != null) builder.timeout(millis(given.get("timeout_ms")));
    if (given.get("deadline_ms") != null) builder.deadline(millis(given.get("deadline_ms")));
    if (given.get("max_retries") instanceof Number retries) builder.maxRetries(retries.intValue());
    return builder.build();
  }

  RequestOptions options() {
    Map<String, Object> given = object("options");
    return new RequestOptions(
        millis(given.get("timeout_ms")),
        millis(given.get("deadline_ms")),
        given.get("max_retries") instanceof Number retries ? retries.intValue() : null,
        (String) given.get("idempotency_key"),
        (Map<String, String>) given.getOrDefault("headers", Map.of()));
  }

  /** Lines so long that those of a large import do not fit into the memory that a small one needs. */
  private static final String TAIL = "x".repeat(300);

  <A> Iterable<A> lines(Function<Map<String, Object>, A> make) {
    if (request.get("lines") != null) return ((List<Map<String, Object>>) request.get("lines")).stream().map(make).toList();
    long count = ((Number) request.get("generate")).longValue();
    return () ->
        new Iterator<>() {
          private long i = 0;

          @Override
          public boolean hasNext() {
            return i < count;
          }

          @Override
          public A next() {
            return make.apply(Map.of("token", "made-" + i++ + "-" + TAIL, "platform", "android"));
          }
        };
  }

  private static Object plain(Object value) {
    if (!(value instanceof Page<?> page)) return ((Shape) value).json();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("data", page.data().stream().map(Input::plain).toList());
    json.put("next_cursor", page.nextCursor());
    return json;
  }

  void value(Object value) {
    answer.put("value", plain(value));
  }

  void pages(Pages<?> pages) {
    Object as = request.get("as");
    if ("pages".equals(as)) collect(pages.pages());
    else if ("items".equals(as)) collect(pages);
    else value(pages.page());
  }

  void lines(Lines<?> lines) {
    try (lines) {
      collect(lines);
    }
  }

  private void collect(Iterable<?> items) {
    if ("count".equals(request.get("as"))) {
      long count = 0;
      long errors = 0;
      for (Object item : items) {
        count++;
        if (item instanceof ImportResult result && result.error() != null) errors++;
      }
      answer.put("count", count);
      answer.put("errors", errors);
      return;
    }
    List<Object> found = new ArrayList<>();
    answer.put("items", found);
    for (Object item : items) {
      found.add(plain(item));
      if (request.get("take") instanceof Number take && found.size() == take.intValue()) break;
    }
  }

  static Map<String, Object> problem(Throwable error) {
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.put("kind", kind(error));
    problem.put("message", error.toString());
    if (error instanceof ApiException api) {
      problem.put("status", api.status());
      problem.put("code", api.code());
      problem.put("details", api.details().stream().map(d -> Map.of("field", d.field(), "message", d.message())).toList());
      problem.put("request_id", api.requestId());
      problem.put("retry_after_ms", api.retryAfter() == null ? null : api.retryAfter().toMillis());
    }
    return problem;
  }

  private static String kind(Throwable error) {
    if (error instanceof ApiException) return "api";
    if (error instanceof dev.heliograph.TimeoutException) return "timeout";
    if (error instanceof dev.heliograph.ConnectionException) return "connection";
    if (error instanceof dev.heliograph.WebhookVerificationException) return "webhook";
    if (error instanceof java.util.concurrent.CancellationException) return "cancelled";
    return error instanceof IllegalArgumentException ? "usage" : "other";
  }
}
