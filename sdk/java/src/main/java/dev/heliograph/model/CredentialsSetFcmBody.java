// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CredentialsSetFcmBody, as the API has it.
 */
public final class CredentialsSetFcmBody extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CredentialsSetFcmBody(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable CredentialsSetFcmBodyServiceAccount serviceAccount() {
    return object("service_account", CredentialsSetFcmBodyServiceAccount::new);
  }

  public @Nullable String endpoint() {
    return text("endpoint");
  }

  /**
   * One of: service_account.
   */
  public @Nullable String type() {
    return text("type");
  }

  public @Nullable String projectId() {
    return text("project_id");
  }

  public @Nullable String clientEmail() {
    return text("client_email");
  }

  public @Nullable String privateKey() {
    return text("private_key");
  }

  public @Nullable String tokenUri() {
    return text("token_uri");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CredentialsSetFcmBody}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder serviceAccount(CredentialsSetFcmBodyServiceAccount value) {
      put("service_account", value);
      return this;
    }

    public Builder endpoint(String value) {
      put("endpoint", value);
      return this;
    }

    /**
     * One of: service_account.
     */
    public Builder type(String value) {
      put("type", value);
      return this;
    }

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
    public CredentialsSetFcmBody build() {
      return new CredentialsSetFcmBody(fields());
    }
  }
}
