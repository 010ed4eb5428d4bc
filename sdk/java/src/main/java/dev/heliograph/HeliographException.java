package dev.heliograph;

import org.jspecify.annotations.Nullable;

/** Everything that a call can fail with, but for a wrong argument (IllegalArgumentException). */
public sealed class HeliographException extends RuntimeException permits ApiException, ConnectionException, TimeoutException, WebhookVerificationException {
  public HeliographException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
