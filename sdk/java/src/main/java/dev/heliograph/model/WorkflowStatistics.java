// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowStatistics, as the API has it.
 */
public final class WorkflowStatistics extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowStatistics(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long version() {
    return there("version", integer("version"));
  }

  public List<WorkflowStepStatistics> steps() {
    return there("steps", list("steps", WorkflowStepStatistics::new));
  }
}
