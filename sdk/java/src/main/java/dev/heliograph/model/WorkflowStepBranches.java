// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowStepBranches, as the API has it.
 */
public final class WorkflowStepBranches extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowStepBranches(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public WorkflowConditions conditions() {
    return there("conditions", object("conditions", WorkflowConditions::new));
  }

  public List<WorkflowStep> steps() {
    return there("steps", list("steps", WorkflowStep::new));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowStepBranches}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder conditions(WorkflowConditions value) {
      put("conditions", value);
      return this;
    }

    public Builder steps(List<WorkflowStep> value) {
      put("steps", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowStepBranches build() {
      return new WorkflowStepBranches(fields("conditions", "steps"));
    }
  }
}
