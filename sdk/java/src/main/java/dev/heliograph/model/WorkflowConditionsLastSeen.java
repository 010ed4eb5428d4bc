// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowConditionsLastSeen, as the API has it.
 */
public final class WorkflowConditionsLastSeen extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowConditionsLastSeen(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable Long withinDays() {
    return integer("within_days");
  }

  public @Nullable Long notWithinDays() {
    return integer("not_within_days");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowConditionsLastSeen}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder withinDays(long value) {
      put("within_days", value);
      return this;
    }

    public Builder notWithinDays(long value) {
      put("not_within_days", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowConditionsLastSeen build() {
      return new WorkflowConditionsLastSeen(fields());
    }
  }
}
