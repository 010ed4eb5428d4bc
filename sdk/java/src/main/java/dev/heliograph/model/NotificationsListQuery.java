// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What notifications.list can be asked for.
 */
public final class NotificationsListQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public NotificationsListQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * In this state now.
   * One of: scheduled, queued, sending, paused, completed, cancelled.
   */
  public @Nullable String status() {
    return text("status");
  }

  public @Nullable String createdFrom() {
    return text("created_from");
  }

  public @Nullable String createdTo() {
    return text("created_to");
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

  /** Makes {@link NotificationsListQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * In this state now.
     * One of: scheduled, queued, sending, paused, completed, cancelled.
     */
    public Builder status(String value) {
      put("status", value);
      return this;
    }

    public Builder createdFrom(String value) {
      put("created_from", value);
      return this;
    }

    public Builder createdTo(String value) {
      put("created_to", value);
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
    public NotificationsListQuery build() {
      return new NotificationsListQuery(fields());
    }
  }
}
