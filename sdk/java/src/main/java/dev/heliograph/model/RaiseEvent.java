// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RaiseEvent, as the API has it.
 */
public final class RaiseEvent extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RaiseEvent(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String event() {
    return there("event", text("event"));
  }

  /**
   * Your own id of the person: any text but `.` and `..`, which no path can hold.
   */
  public String userId() {
    return there("user_id", text("user_id"));
  }

  public @Nullable Map<String, ? extends @Nullable Object> data() {
    return map("data");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link RaiseEvent}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder event(String value) {
      put("event", value);
      return this;
    }

    /**
     * Your own id of the person: any text but `.` and `..`, which no path can hold.
     */
    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    public Builder data(Map<String, ? extends @Nullable Object> value) {
      put("data", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public RaiseEvent build() {
      return new RaiseEvent(fields("event", "user_id"));
    }
  }
}
