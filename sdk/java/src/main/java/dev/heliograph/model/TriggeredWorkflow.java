// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TriggeredWorkflow, as the API has it.
 */
public final class TriggeredWorkflow extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TriggeredWorkflow(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Runs that began. Of a described audience: contacts that are looked through now, of whom those enter
   * whom it fits; 10,000 stands for that many or more.
   */
  public long executions() {
    return there("executions", integer("executions"));
  }

  /**
   * The run's, when there is one.
   */
  public @Nullable String executionId() {
    return text("execution_id");
  }
}
