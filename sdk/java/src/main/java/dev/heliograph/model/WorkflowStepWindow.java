// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowStepWindow, as the API has it.
 */
public final class WorkflowStepWindow extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowStepWindow(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String from() {
    return there("from", text("from"));
  }

  public String to() {
    return there("to", text("to"));
  }

  /**
   * Days of the week on which it begins, from 1, Monday. Left out: all.
   */
  public @Nullable List<Long> days() {
    return list("days");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowStepWindow}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder from(String value) {
      put("from", value);
      return this;
    }

    public Builder to(String value) {
      put("to", value);
      return this;
    }

    /**
     * Days of the week on which it begins, from 1, Monday. Left out: all.
     */
    public Builder days(List<Long> value) {
      put("days", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowStepWindow build() {
      return new WorkflowStepWindow(fields("from", "to"));
    }
  }
}
