// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PublicDevicesDeleteBody, as the API has it.
 */
public final class PublicDevicesDeleteBody extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicDevicesDeleteBody(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String token() {
    return there("token", text("token"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link PublicDevicesDeleteBody}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder token(String value) {
      put("token", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public PublicDevicesDeleteBody build() {
      return new PublicDevicesDeleteBody(fields("token"));
    }
  }
}
