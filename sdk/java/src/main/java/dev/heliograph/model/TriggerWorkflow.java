// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TriggerWorkflow, as the API has it.
 */
public final class TriggerWorkflow extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TriggerWorkflow(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public TriggerWorkflowTo to() {
    return there("to", object("to", TriggerWorkflowTo::new));
  }

  public @Nullable Map<String, ? extends @Nullable Object> data() {
    return map("data");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link TriggerWorkflow}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder to(TriggerWorkflowTo value) {
      put("to", value);
      return this;
    }

    public Builder data(Map<String, ? extends @Nullable Object> value) {
      put("data", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public TriggerWorkflow build() {
      return new TriggerWorkflow(fields("to"));
    }
  }
}
