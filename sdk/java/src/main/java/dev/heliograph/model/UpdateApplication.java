// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpdateApplication, as the API has it.
 */
public final class UpdateApplication extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpdateApplication(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String name() {
    return text("name");
  }

  public @Nullable Boolean identityVerification() {
    return flag("identity_verification");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link UpdateApplication}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    public Builder identityVerification(boolean value) {
      put("identity_verification", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public UpdateApplication build() {
      return new UpdateApplication(fields());
    }
  }
}
