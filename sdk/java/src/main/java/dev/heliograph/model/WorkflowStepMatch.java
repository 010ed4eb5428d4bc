// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The event's value at the path `event` has to equal the run's at the path `run`.
 */
public final class WorkflowStepMatch extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowStepMatch(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String event() {
    return there("event", text("event"));
  }

  public String run() {
    return there("run", text("run"));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowStepMatch}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder event(String value) {
      put("event", value);
      return this;
    }

    public Builder run(String value) {
      put("run", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowStepMatch build() {
      return new WorkflowStepMatch(fields("event", "run"));
    }
  }
}
