// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracking, as the API has it.
 */
public final class Tracking extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Tracking(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable Boolean opens() {
    return flag("opens");
  }

  public @Nullable Boolean clicks() {
    return flag("clicks");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link Tracking}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder opens(boolean value) {
      put("opens", value);
      return this;
    }

    public Builder clicks(boolean value) {
      put("clicks", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public Tracking build() {
      return new Tracking(fields());
    }
  }
}
