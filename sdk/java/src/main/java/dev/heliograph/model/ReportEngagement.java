// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ReportEngagement, as the API has it.
 */
public final class ReportEngagement extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ReportEngagement(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: delivered, opened, clicked.
   */
  public String type() {
    return there("type", text("type"));
  }

  public String notificationId() {
    return there("notification_id", text("notification_id"));
  }

  public String deviceId() {
    return there("device_id", text("device_id"));
  }

  public @Nullable String destination() {
    return text("destination");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link ReportEngagement}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: delivered, opened, clicked.
     */
    public Builder type(String value) {
      put("type", value);
      return this;
    }

    public Builder notificationId(String value) {
      put("notification_id", value);
      return this;
    }

    public Builder deviceId(String value) {
      put("device_id", value);
      return this;
    }

    public Builder destination(String value) {
      put("destination", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public ReportEngagement build() {
      return new ReportEngagement(fields("type", "notification_id", "device_id"));
    }
  }
}
