// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CredentialsSetFcmBodyServiceAccount, as the API has it.
 */
public final class CredentialsSetFcmBodyServiceAccount extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CredentialsSetFcmBodyServiceAccount(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String projectId() {
    return there("project_id", text("project_id"));
  }

  public String clientEmail() {
    return there("client_email", text("client_email"));
  }

  public String privateKey() {
    return there("private_key", text("private_key"));
  }

  public @Nullable String tokenUri() {
    return text("token_uri");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CredentialsSetFcmBodyServiceAccount}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder projectId(String value) {
      put("project_id", value);
      return this;
    }

    public Builder clientEmail(String value) {
      put("client_email", value);
      return this;
    }

    public Builder privateKey(String value) {
      put("private_key", value);
      return this;
    }

    public Builder tokenUri(String value) {
      put("token_uri", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CredentialsSetFcmBodyServiceAccount build() {
      return new CredentialsSetFcmBodyServiceAccount(fields("project_id", "client_email", "private_key"));
    }
  }
}
