// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CreateApiKey, as the API has it.
 */
public final class CreateApiKey extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CreateApiKey(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: secret, public.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  public String name() {
    return there("name", text("name"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CreateApiKey}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: secret, public.
     */
    public Builder kind(String value) {
      put("kind", value);
      return this;
    }

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CreateApiKey build() {
      return new CreateApiKey(fields("kind", "name"));
    }
  }
}
