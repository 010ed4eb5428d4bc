// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PreviewTemplate, as the API has it.
 */
public final class PreviewTemplate extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PreviewTemplate(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Unless given, that of `contact`; null is somebody whose language is not known.
   */
  public @Nullable String locale() {
    return text("locale");
  }

  public @Nullable Map<String, ? extends @Nullable Object> variables() {
    return map("variables");
  }

  public @Nullable Map<String, ? extends @Nullable Object> device() {
    return map("device");
  }

  public @Nullable Map<String, ? extends @Nullable Object> contact() {
    return map("contact");
  }

  /**
   * Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was
   * seen last.
   */
  public @Nullable String contactId() {
    return text("contact_id");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link PreviewTemplate}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Unless given, that of `contact`; null is somebody whose language is not known.
     */
    public Builder locale(@Nullable String value) {
      put("locale", value);
      return this;
    }

    public Builder variables(Map<String, ? extends @Nullable Object> value) {
      put("variables", value);
      return this;
    }

    public Builder device(Map<String, ? extends @Nullable Object> value) {
      put("device", value);
      return this;
    }

    public Builder contact(Map<String, ? extends @Nullable Object> value) {
      put("contact", value);
      return this;
    }

    /**
     * Somebody there is, in the place of `contact`; `device`, unless given, is the one of theirs that was
     * seen last.
     */
    public Builder contactId(String value) {
      put("contact_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public PreviewTemplate build() {
      return new PreviewTemplate(fields());
    }
  }
}
