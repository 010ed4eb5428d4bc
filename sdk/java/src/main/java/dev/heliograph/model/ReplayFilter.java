// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ReplayFilter, as the API has it.
 */
public final class ReplayFilter extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ReplayFilter(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: notification, webhook.
   */
  public @Nullable String kind() {
    return text("kind");
  }

  public @Nullable String webhookId() {
    return text("webhook_id");
  }

  public @Nullable String notificationId() {
    return text("notification_id");
  }

  /**
   * One of: apns, fcm, webpush, smtp, inbox.
   */
  public @Nullable String provider() {
    return text("provider");
  }

  /**
   * The whole text of `error`.
   */
  public @Nullable String error() {
    return text("error");
  }

  public @Nullable String from() {
    return text("from");
  }

  public @Nullable String to() {
    return text("to");
  }
}
