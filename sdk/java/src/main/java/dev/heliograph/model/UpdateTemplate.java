// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpdateTemplate, as the API has it.
 */
public final class UpdateTemplate extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpdateTemplate(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * The version that is changed. Where it is not the latest any more, nothing is changed, and the answer
   * is 409.
   */
  public @Nullable Long version() {
    return integer("version");
  }

  public @Nullable String name() {
    return text("name");
  }

  public @Nullable Content content() {
    return object("content", Content::new);
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

  /** Makes {@link UpdateTemplate}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * The version that is changed. Where it is not the latest any more, nothing is changed, and the answer
     * is 409.
     */
    public Builder version(long value) {
      put("version", value);
      return this;
    }

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
    public UpdateTemplate build() {
      return new UpdateTemplate(fields());
    }
  }
}
