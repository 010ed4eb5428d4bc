// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpdateChannel, as the API has it.
 */
public final class UpdateChannel extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpdateChannel(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: active, unsubscribed.
   */
  public String status() {
    return there("status", text("status"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link UpdateChannel}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: active, unsubscribed.
     */
    public Builder status(String value) {
      put("status", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public UpdateChannel build() {
      return new UpdateChannel(fields("status"));
    }
  }
}
