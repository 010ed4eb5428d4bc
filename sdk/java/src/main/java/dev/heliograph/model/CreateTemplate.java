// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CreateTemplate, as the API has it.
 */
public final class CreateTemplate extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CreateTemplate(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String name() {
    return there("name", text("name"));
  }

  public Content content() {
    return there("content", object("content", Content::new));
  }

  public @Nullable Map<String, ? extends @Nullable Object> locales() {
    return map("locales");
  }

  /**
   * One of: error, empty.
   */
  public @Nullable String missingVariables() {
    return text("missing_variables");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CreateTemplate}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    public Builder content(Content value) {
      put("content", value);
      return this;
    }

    public Builder locales(Map<String, ? extends @Nullable Object> value) {
      put("locales", value);
      return this;
    }

    /**
     * One of: error, empty.
     */
    public Builder missingVariables(String value) {
      put("missing_variables", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CreateTemplate build() {
      return new CreateTemplate(fields("name", "content"));
    }
  }
}
