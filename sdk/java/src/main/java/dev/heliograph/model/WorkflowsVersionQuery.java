// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What workflows.version can be asked for.
 */
public final class WorkflowsVersionQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowsVersionQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Its number. Left out: the latest.
   */
  public @Nullable Long version() {
    return integer("version");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowsVersionQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Its number. Left out: the latest.
     */
    public Builder version(long value) {
      put("version", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowsVersionQuery build() {
      return new WorkflowsVersionQuery(fields());
    }
  }
}
