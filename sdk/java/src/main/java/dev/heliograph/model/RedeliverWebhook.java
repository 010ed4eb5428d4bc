// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RedeliverWebhook, as the API has it.
 */
public final class RedeliverWebhook extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RedeliverWebhook(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String from() {
    return text("from");
  }

  public @Nullable String to() {
    return text("to");
  }

  /**
   * `exhausted`, the default: what the receiver missed. `delivered`: what it has taken already.
   * One of: exhausted, delivered.
   */
  public @Nullable String status() {
    return text("status");
  }

  /**
   * This one alone: the `event_id` of the list of deliveries. Nothing else is named beside it.
   */
  public @Nullable String deliveryId() {
    return text("delivery_id");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link RedeliverWebhook}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder from(String value) {
      put("from", value);
      return this;
    }

    public Builder to(String value) {
      put("to", value);
      return this;
    }

    /**
     * `exhausted`, the default: what the receiver missed. `delivered`: what it has taken already.
     * One of: exhausted, delivered.
     */
    public Builder status(String value) {
      put("status", value);
      return this;
    }

    /**
     * This one alone: the `event_id` of the list of deliveries. Nothing else is named beside it.
     */
    public Builder deliveryId(String value) {
      put("delivery_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public RedeliverWebhook build() {
      return new RedeliverWebhook(fields());
    }
  }
}
