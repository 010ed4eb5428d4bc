// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * SmtpCredential, as the API has it.
 */
public final class SmtpCredential extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public SmtpCredential(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String url() {
    return there("url", text("url"));
  }

  public String from() {
    return there("from", text("from"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link SmtpCredential}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder url(String value) {
      put("url", value);
      return this;
    }

    public Builder from(String value) {
      put("from", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public SmtpCredential build() {
      return new SmtpCredential(fields("url", "from"));
    }
  }
}
