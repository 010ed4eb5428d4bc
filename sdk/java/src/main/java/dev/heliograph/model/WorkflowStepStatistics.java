// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowStepStatistics, as the API has it.
 */
public final class WorkflowStepStatistics extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowStepStatistics(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long stepOrder() {
    return there("step_order", integer("step_order"));
  }

  public String key() {
    return there("key", text("key"));
  }

  public String type() {
    return there("type", text("type"));
  }

  public long entered() {
    return there("entered", integer("entered"));
  }

  public long passed() {
    return there("passed", integer("passed"));
  }

  /**
   * Stopped by a FILTER or THROTTLE, or cancelled there.
   */
  public long stopped() {
    return there("stopped", integer("stopped"));
  }

  public long failed() {
    return there("failed", integer("failed"));
  }

  public long waiting() {
    return there("waiting", integer("waiting"));
  }
}
