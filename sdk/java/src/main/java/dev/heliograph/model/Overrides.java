// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Overrides, as the API has it.
 */
public final class Overrides extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Overrides(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable Map<String, ? extends @Nullable Object> apns() {
    return map("apns");
  }

  public @Nullable Map<String, ? extends @Nullable Object> fcm() {
    return map("fcm");
  }

  public @Nullable Map<String, ? extends @Nullable Object> web() {
    return map("web");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link Overrides}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder apns(Map<String, ? extends @Nullable Object> value) {
      put("apns", value);
      return this;
    }

    public Builder fcm(Map<String, ? extends @Nullable Object> value) {
      put("fcm", value);
      return this;
    }

    public Builder web(Map<String, ? extends @Nullable Object> value) {
      put("web", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public Overrides build() {
      return new Overrides(fields());
    }
  }
}
