// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ReplayDeadLetters, as the API has it.
 */
public final class ReplayDeadLetters extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ReplayDeadLetters(Map<String, ? extends @Nullable Object> json) {
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

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link ReplayDeadLetters}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: notification, webhook.
     */
    public Builder kind(String value) {
      put("kind", value);
      return this;
    }

    public Builder webhookId(String value) {
      put("webhook_id", value);
      return this;
    }

    public Builder notificationId(String value) {
      put("notification_id", value);
      return this;
    }

    /**
     * One of: apns, fcm, webpush, smtp, inbox.
     */
    public Builder provider(String value) {
      put("provider", value);
      return this;
    }

    /**
     * The whole text of `error`.
     */
    public Builder error(String value) {
      put("error", value);
      return this;
    }

    public Builder from(String value) {
      put("from", value);
      return this;
    }

    public Builder to(String value) {
      put("to", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public ReplayDeadLetters build() {
      return new ReplayDeadLetters(fields());
    }
  }
}
