// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TrackDelivery, as the API has it.
 */
public final class TrackDelivery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TrackDelivery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String notificationId() {
    return there("notification_id", text("notification_id"));
  }

  public String deviceId() {
    return there("device_id", text("device_id"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link TrackDelivery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder notificationId(String value) {
      put("notification_id", value);
      return this;
    }

    public Builder deviceId(String value) {
      put("device_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public TrackDelivery build() {
      return new TrackDelivery(fields("notification_id", "device_id"));
    }
  }
}
