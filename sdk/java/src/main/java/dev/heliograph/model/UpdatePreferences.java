// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpdatePreferences, as the API has it.
 */
public final class UpdatePreferences extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpdatePreferences(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * For every kind that is not named beside it.
   */
  public @Nullable Boolean all() {
    return flag("all");
  }

  public @Nullable Boolean push() {
    return flag("push");
  }

  public @Nullable Boolean email() {
    return flag("email");
  }

  public @Nullable Boolean inbox() {
    return flag("inbox");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link UpdatePreferences}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * For every kind that is not named beside it.
     */
    public Builder all(boolean value) {
      put("all", value);
      return this;
    }

    public Builder push(boolean value) {
      put("push", value);
      return this;
    }

    public Builder email(boolean value) {
      put("email", value);
      return this;
    }

    public Builder inbox(boolean value) {
      put("inbox", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public UpdatePreferences build() {
      return new UpdatePreferences(fields());
    }
  }
}
