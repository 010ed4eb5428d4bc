// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RegisterDevice, as the API has it.
 */
public final class RegisterDevice extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RegisterDevice(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String token() {
    return there("token", text("token"));
  }

  /**
   * The token that this device had until now, where the platform has given it a new one: its row is
   * kept. The row of a person is kept for the same `user_id` alone.
   */
  public @Nullable String previousToken() {
    return text("previous_token");
  }

  /**
   * One of: ios, android, web.
   */
  public String platform() {
    return there("platform", text("platform"));
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

  public @Nullable String webPushP256dh() {
    return text("web_push_p256dh");
  }

  public @Nullable String webPushAuth() {
    return text("web_push_auth");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link RegisterDevice}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder token(String value) {
      put("token", value);
      return this;
    }

    /**
     * The token that this device had until now, where the platform has given it a new one: its row is
     * kept. The row of a person is kept for the same `user_id` alone.
     */
    public Builder previousToken(String value) {
      put("previous_token", value);
      return this;
    }

    /**
     * One of: ios, android, web.
     */
    public Builder platform(String value) {
      put("platform", value);
      return this;
    }

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

    public Builder webPushP256dh(@Nullable String value) {
      put("web_push_p256dh", value);
      return this;
    }

    public Builder webPushAuth(@Nullable String value) {
      put("web_push_auth", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public RegisterDevice build() {
      return new RegisterDevice(fields("token", "platform"));
    }
  }
}
