// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpsertContact, as the API has it.
 */
public final class UpsertContact extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpsertContact(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Your own id of the person: any text but `.` and `..`, which no path can hold.
   */
  public String externalId() {
    return there("external_id", text("external_id"));
  }

  public @Nullable String email() {
    return text("email");
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

  /** Makes {@link UpsertContact}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Your own id of the person: any text but `.` and `..`, which no path can hold.
     */
    public Builder externalId(String value) {
      put("external_id", value);
      return this;
    }

    public Builder email(@Nullable String value) {
      put("email", value);
      return this;
    }

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
    public UpsertContact build() {
      return new UpsertContact(fields("external_id"));
    }
  }
}
