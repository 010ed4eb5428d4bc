// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What webhooks.deliveries can be asked for.
 */
public final class WebhooksDeliveriesQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WebhooksDeliveriesQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
   * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
   */
  public @Nullable String event() {
    return text("event");
  }

  /**
   * One of: delivered, pending, retrying, exhausted.
   */
  public @Nullable String status() {
    return text("status");
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

  /** Makes {@link WebhooksDeliveriesQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
     * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
     */
    public Builder event(String value) {
      put("event", value);
      return this;
    }

    /**
     * One of: delivered, pending, retrying, exhausted.
     */
    public Builder status(String value) {
      put("status", value);
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
    public WebhooksDeliveriesQuery build() {
      return new WebhooksDeliveriesQuery(fields());
    }
  }
}
