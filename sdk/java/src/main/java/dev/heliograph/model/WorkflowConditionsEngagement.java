// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowConditionsEngagement, as the API has it.
 */
public final class WorkflowConditionsEngagement extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowConditionsEngagement(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: delivered, opened, clicked.
   */
  public String type() {
    return there("type", text("type"));
  }

  public long withinDays() {
    return there("within_days", integer("within_days"));
  }

  public @Nullable Boolean not() {
    return flag("not");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowConditionsEngagement}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: delivered, opened, clicked.
     */
    public Builder type(String value) {
      put("type", value);
      return this;
    }

    public Builder withinDays(long value) {
      put("within_days", value);
      return this;
    }

    public Builder not(boolean value) {
      put("not", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowConditionsEngagement build() {
      return new WorkflowConditionsEngagement(fields("type", "within_days"));
    }
  }
}
