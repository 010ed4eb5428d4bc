// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ExecutionStep, as the API has it.
 */
public final class ExecutionStep extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ExecutionStep(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String at() {
    return there("at", text("at"));
  }

  public long stepOrder() {
    return there("step_order", integer("step_order"));
  }

  /**
   * One of: passed, stopped, waiting, skipped, merged, timed_out, failed, cancelled.
   */
  public String outcome() {
    return there("outcome", text("outcome"));
  }

  public @Nullable List<ExecutionStepFindings> findings() {
    return list("findings", ExecutionStepFindings::new);
  }

  public @Nullable Long branch() {
    return integer("branch");
  }

  public @Nullable String until() {
    return text("until");
  }

  public @Nullable String notificationId() {
    return text("notification_id");
  }

  public @Nullable String mergedInto() {
    return text("merged_into");
  }

  public @Nullable Long count() {
    return integer("count");
  }

  public @Nullable String detail() {
    return text("detail");
  }
}
