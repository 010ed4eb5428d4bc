package dev.heliograph;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The service answered, and refused. */
public final class ApiException extends HeliographException {
  /** What is wrong with a field. */
  public record Detail(String field, String message) {}

  private final int status;
  private final String code;
  private final List<Detail> details;
  private final @Nullable String requestId;
  private final @Nullable Duration retryAfter;

  public ApiException(
      int status,
      String code,
      String message,
      List<Detail> details,
      @Nullable String requestId,
      @Nullable Duration retryAfter) {
    super(status + " " + code + ": " + message, null);
    this.status = status;
    this.code = code;
    this.details = List.copyOf(details);
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  public int status() {
    return status;
  }

  /** {@code unknown} for an answer that is not the service's own, such as a proxy's. */
  public String code() {
    return code;
  }

  public List<Detail> details() {
    return details;
  }

  public @Nullable String requestId() {
    return requestId;
  }

  /** How long the service asks to wait; null where it does not. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
