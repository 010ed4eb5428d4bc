// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ApnsCredential, as the API has it.
 */
public final class ApnsCredential extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ApnsCredential(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String teamId() {
    return there("team_id", text("team_id"));
  }

  public String keyId() {
    return there("key_id", text("key_id"));
  }

  public String privateKey() {
    return there("private_key", text("private_key"));
  }

  public String bundleId() {
    return there("bundle_id", text("bundle_id"));
  }

  public @Nullable String endpoint() {
    return text("endpoint");
  }

  public @Nullable String sandboxEndpoint() {
    return text("sandbox_endpoint");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link ApnsCredential}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder teamId(String value) {
      put("team_id", value);
      return this;
    }

    public Builder keyId(String value) {
      put("key_id", value);
      return this;
    }

    public Builder privateKey(String value) {
      put("private_key", value);
      return this;
    }

    public Builder bundleId(String value) {
      put("bundle_id", value);
      return this;
    }

    public Builder endpoint(String value) {
      put("endpoint", value);
      return this;
    }

    public Builder sandboxEndpoint(String value) {
      put("sandbox_endpoint", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public ApnsCredential build() {
      return new ApnsCredential(fields("team_id", "key_id", "private_key", "bundle_id"));
    }
  }
}
