// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowConditionsAnySteps, as the API has it.
 */
public final class WorkflowConditionsAnySteps extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowConditionsAnySteps(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Of a SEND step that stands before.
   */
  public String key() {
    return there("key", text("key"));
  }

  /**
   * One of: sent, failed, skipped, delivered, opened, clicked.
   */
  public String is() {
    return there("is", text("is"));
  }

  public @Nullable Boolean not() {
    return flag("not");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowConditionsAnySteps}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Of a SEND step that stands before.
     */
    public Builder key(String value) {
      put("key", value);
      return this;
    }

    /**
     * One of: sent, failed, skipped, delivered, opened, clicked.
     */
    public Builder is(String value) {
      put("is", value);
      return this;
    }

    public Builder not(boolean value) {
      put("not", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowConditionsAnySteps build() {
      return new WorkflowConditionsAnySteps(fields("key", "is"));
    }
  }
}
