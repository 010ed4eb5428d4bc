// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowDryRun, as the API has it.
 */
public final class WorkflowDryRun extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowDryRun(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: running, waiting, completed, filtered, failed, cancelled.
   */
  public String status() {
    return there("status", text("status"));
  }

  public @Nullable String error() {
    return text("error");
  }

  public List<ExecutionStep> history() {
    return there("history", list("history", ExecutionStep::new));
  }

  public List<WorkflowDryRunMessages> messages() {
    return there("messages", list("messages", WorkflowDryRunMessages::new));
  }
}
