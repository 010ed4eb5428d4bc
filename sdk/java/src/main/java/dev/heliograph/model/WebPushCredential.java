// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WebPushCredential, as the API has it.
 */
public final class WebPushCredential extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WebPushCredential(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String subject() {
    return there("subject", text("subject"));
  }

  public @Nullable String publicKey() {
    return text("public_key");
  }

  public @Nullable String privateKey() {
    return text("private_key");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WebPushCredential}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder subject(String value) {
      put("subject", value);
      return this;
    }

    public Builder publicKey(String value) {
      put("public_key", value);
      return this;
    }

    public Builder privateKey(String value) {
      put("private_key", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WebPushCredential build() {
      return new WebPushCredential(fields("subject"));
    }
  }
}
