// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CreateChannel, as the API has it.
 */
public final class CreateChannel extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CreateChannel(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: email, inbox.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  public @Nullable String address() {
    return text("address");
  }

  /**
   * Your own id of the person: any text but `.` and `..`, which no path can hold.
   */
  public @Nullable String userId() {
    return text("user_id");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CreateChannel}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: email, inbox.
     */
    public Builder kind(String value) {
      put("kind", value);
      return this;
    }

    public Builder address(String value) {
      put("address", value);
      return this;
    }

    /**
     * Your own id of the person: any text but `.` and `..`, which no path can hold.
     */
    public Builder userId(@Nullable String value) {
      put("user_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CreateChannel build() {
      return new CreateChannel(fields("kind"));
    }
  }
}
