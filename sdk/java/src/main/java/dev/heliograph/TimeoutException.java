package dev.heliograph;

import org.jspecify.annotations.Nullable;

/** An attempt took longer than the timeout, or what was left of the deadline. */
public final class TimeoutException extends HeliographException {
  public TimeoutException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
