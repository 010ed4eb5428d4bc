// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * IssueIdentitySecret, as the API has it.
 */
public final class IssueIdentitySecret extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public IssueIdentitySecret(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable Long overlapSeconds() {
    return integer("overlap_seconds");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link IssueIdentitySecret}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder overlapSeconds(long value) {
      put("overlap_seconds", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public IssueIdentitySecret build() {
      return new IssueIdentitySecret(fields());
    }
  }
}
