// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CancelExecutions, as the API has it.
 */
public final class CancelExecutions extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CancelExecutions(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String workflowId() {
    return text("workflow_id");
  }

  public @Nullable String userId() {
    return text("user_id");
  }

  /**
   * One of: waiting, running.
   */
  public @Nullable String status() {
    return text("status");
  }

  /**
   * Why: it stands in the history of each.
   */
  public @Nullable String note() {
    return text("note");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CancelExecutions}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder workflowId(String value) {
      put("workflow_id", value);
      return this;
    }

    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    /**
     * One of: waiting, running.
     */
    public Builder status(String value) {
      put("status", value);
      return this;
    }

    /**
     * Why: it stands in the history of each.
     */
    public Builder note(String value) {
      put("note", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CancelExecutions build() {
      return new CancelExecutions(fields());
    }
  }
}
