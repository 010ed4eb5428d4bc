// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * AttributeCondition, as the API has it.
 */
public final class AttributeCondition extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public AttributeCondition(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String name() {
    return there("name", text("name"));
  }

  /**
   * One of: equals, not_equals, contains, in, greater, greater_or_equal, less, less_or_equal, exists,
   * not_exists.
   */
  public String op() {
    return there("op", text("op"));
  }

  public @Nullable Object value() {
    return any("value");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link AttributeCondition}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    /**
     * One of: equals, not_equals, contains, in, greater, greater_or_equal, less, less_or_equal, exists,
     * not_exists.
     */
    public Builder op(String value) {
      put("op", value);
      return this;
    }

    public Builder value(Object value) {
      put("value", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public AttributeCondition build() {
      return new AttributeCondition(fields("name", "op"));
    }
  }
}
