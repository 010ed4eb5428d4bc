// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Somebody made up, in the place of `user_id`.
 */
public final class RehearseWorkflowContact extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RehearseWorkflowContact(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable Map<String, ? extends @Nullable Object> attributes() {
    return map("attributes");
  }

  public @Nullable List<String> tags() {
    return list("tags");
  }

  public @Nullable String locale() {
    return text("locale");
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link RehearseWorkflowContact}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder attributes(Map<String, ? extends @Nullable Object> value) {
      put("attributes", value);
      return this;
    }

    public Builder tags(List<String> value) {
      put("tags", value);
      return this;
    }

    public Builder locale(@Nullable String value) {
      put("locale", value);
      return this;
    }

    public Builder timezone(@Nullable String value) {
      put("timezone", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public RehearseWorkflowContact build() {
      return new RehearseWorkflowContact(fields());
    }
  }
}
