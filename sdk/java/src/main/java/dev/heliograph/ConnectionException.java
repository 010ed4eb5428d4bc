package dev.heliograph;

import org.jspecify.annotations.Nullable;

/** There was no whole answer: no connection, or one that broke. */
public final class ConnectionException extends HeliographException {
  public ConnectionException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
