package dev.heliograph;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * For one call, in place of what the client has.
 *
 * @param timeout how long one attempt may take
 * @param deadline how long the call may take with all its attempts and the waiting between them
 * @param maxRetries attempts after the first
 * @param idempotencyKey one is made for every call that takes it; give your own to make calls of different processes one
 * @param headers such as X-Identity-Hash
 */
public record RequestOptions(
    @Nullable Duration timeout,
    @Nullable Duration deadline,
    @Nullable Integer maxRetries,
    @Nullable String idempotencyKey,
    Map<String, String> headers) {
  public static final RequestOptions NONE = new RequestOptions(null, null, null, null, Map.of());

  public RequestOptions withTimeout(Duration timeout) {
    return new RequestOptions(timeout, deadline, maxRetries, idempotencyKey, headers);
  }

  public RequestOptions withDeadline(Duration deadline) {
    return new RequestOptions(timeout, deadline, maxRetries, idempotencyKey, headers);
  }

  public RequestOptions withMaxRetries(int maxRetries) {
    return new RequestOptions(timeout, deadline, maxRetries, idempotencyKey, headers);
  }

  public RequestOptions withIdempotencyKey(String idempotencyKey) {
    return new RequestOptions(timeout, deadline, maxRetries, idempotencyKey, headers);
  }

  public RequestOptions withHeader(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new RequestOptions(timeout, deadline, maxRetries, idempotencyKey, Map.copyOf(more));
  }
}
