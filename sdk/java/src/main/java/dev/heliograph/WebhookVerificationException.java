package dev.heliograph;

import org.jspecify.annotations.Nullable;

/** A webhook that is not genuine, or too old. */
public final class WebhookVerificationException extends HeliographException {
  public WebhookVerificationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
