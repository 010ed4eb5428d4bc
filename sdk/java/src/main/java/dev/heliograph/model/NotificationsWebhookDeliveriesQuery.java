// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What notifications.webhookDeliveries can be asked for.
 */
public final class NotificationsWebhookDeliveriesQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public NotificationsWebhookDeliveriesQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * The device, or the channel.
   */
  public String recipientId() {
    return there("recipient_id", text("recipient_id"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link NotificationsWebhookDeliveriesQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * The device, or the channel.
     */
    public Builder recipientId(String value) {
      put("recipient_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public NotificationsWebhookDeliveriesQuery build() {
      return new NotificationsWebhookDeliveriesQuery(fields("recipient_id"));
    }
  }
}
