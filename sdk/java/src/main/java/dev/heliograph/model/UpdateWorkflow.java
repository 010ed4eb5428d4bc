// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpdateWorkflow, as the API has it.
 */
public final class UpdateWorkflow extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpdateWorkflow(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String name() {
    return text("name");
  }

  public @Nullable WorkflowTrigger trigger() {
    return object("trigger", WorkflowTrigger::new);
  }

  public @Nullable List<WorkflowStep> steps() {
    return list("steps", WorkflowStep::new);
  }

  /**
   * `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`:
   * never again, whatever became of the run. Whoever may not enter is passed over.
   * One of: always, when_ended, once.
   */
  public @Nullable String reentry() {
    return text("reentry");
  }

  /**
   * Which version was changed: where others have made a later one by now, the answer is 409.
   */
  public @Nullable Long version() {
    return integer("version");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link UpdateWorkflow}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    public Builder trigger(WorkflowTrigger value) {
      put("trigger", value);
      return this;
    }

    public Builder steps(List<WorkflowStep> value) {
      put("steps", value);
      return this;
    }

    /**
     * `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`:
     * never again, whatever became of the run. Whoever may not enter is passed over.
     * One of: always, when_ended, once.
     */
    public Builder reentry(String value) {
      put("reentry", value);
      return this;
    }

    /**
     * Which version was changed: where others have made a later one by now, the answer is 409.
     */
    public Builder version(long value) {
      put("version", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public UpdateWorkflow build() {
      return new UpdateWorkflow(fields());
    }
  }
}
