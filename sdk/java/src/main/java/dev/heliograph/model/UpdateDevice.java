// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpdateDevice, as the API has it.
 */
public final class UpdateDevice extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpdateDevice(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Your own id of the person: any text but `.` and `..`, which no path can hold.
   */
  public @Nullable String userId() {
    return text("user_id");
  }

  public @Nullable List<String> tags() {
    return list("tags");
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  /**
   * One of: production, sandbox.
   */
  public @Nullable String environment() {
    return text("environment");
  }

  public @Nullable Map<String, ? extends @Nullable Object> metadata() {
    return map("metadata");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link UpdateDevice}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Your own id of the person: any text but `.` and `..`, which no path can hold.
     */
    public Builder userId(@Nullable String value) {
      put("user_id", value);
      return this;
    }

    public Builder tags(List<String> value) {
      put("tags", value);
      return this;
    }

    public Builder timezone(@Nullable String value) {
      put("timezone", value);
      return this;
    }

    /**
     * One of: production, sandbox.
     */
    public Builder environment(String value) {
      put("environment", value);
      return this;
    }

    public Builder metadata(Map<String, ? extends @Nullable Object> value) {
      put("metadata", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public UpdateDevice build() {
      return new UpdateDevice(fields());
    }
  }
}
