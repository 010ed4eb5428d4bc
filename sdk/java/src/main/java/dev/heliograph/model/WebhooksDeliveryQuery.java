// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What webhooks.delivery can be asked for.
 */
public final class WebhooksDeliveryQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WebhooksDeliveryQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * As the list of deliveries has it.
   */
  public String eventId() {
    return there("event_id", text("event_id"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WebhooksDeliveryQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * As the list of deliveries has it.
     */
    public Builder eventId(String value) {
      put("event_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WebhooksDeliveryQuery build() {
      return new WebhooksDeliveryQuery(fields("event_id"));
    }
  }
}
