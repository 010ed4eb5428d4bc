// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What notifications.deliveries can be asked for.
 */
public final class NotificationsDeliveriesQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public NotificationsDeliveriesQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: sent, failed, skipped, cancelled.
   */
  public @Nullable String status() {
    return text("status");
  }

  /**
   * Exactly this code, as `unregistered`.
   */
  public @Nullable String error() {
    return text("error");
  }

  /**
   * The devices and channels of the person with this id of the application's own.
   */
  public @Nullable String userId() {
    return text("user_id");
  }

  /**
   * How many to return, at most. 50 unless given.
   */
  public @Nullable Long limit() {
    return integer("limit");
  }

  /**
   * `next_cursor` of the page before. Leave it out for the first page.
   */
  public @Nullable String cursor() {
    return text("cursor");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link NotificationsDeliveriesQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: sent, failed, skipped, cancelled.
     */
    public Builder status(String value) {
      put("status", value);
      return this;
    }

    /**
     * Exactly this code, as `unregistered`.
     */
    public Builder error(String value) {
      put("error", value);
      return this;
    }

    /**
     * The devices and channels of the person with this id of the application's own.
     */
    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    /**
     * How many to return, at most. 50 unless given.
     */
    public Builder limit(long value) {
      put("limit", value);
      return this;
    }

    /**
     * `next_cursor` of the page before. Leave it out for the first page.
     */
    public Builder cursor(String value) {
      put("cursor", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public NotificationsDeliveriesQuery build() {
      return new NotificationsDeliveriesQuery(fields());
    }
  }
}
