// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Execution, as the API has it.
 */
public final class Execution extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Execution(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String workflowId() {
    return there("workflow_id", text("workflow_id"));
  }

  /**
   * Of the workflow; 0 where that is gone.
   */
  public long version() {
    return there("version", integer("version"));
  }

  public String userId() {
    return there("user_id", text("user_id"));
  }

  /**
   * One of: running, waiting, completed, filtered, failed, cancelled.
   */
  public String status() {
    return there("status", text("status"));
  }

  /**
   * The step that it is at, or at which it ended.
   */
  public @Nullable Long stepOrder() {
    return integer("step_order");
  }

  /**
   * When a waiting one goes on by itself.
   */
  public @Nullable String dueAt() {
    return text("due_at");
  }

  public @Nullable String error() {
    return text("error");
  }

  /**
   * One of: operator, archived, deleted.
   */
  public @Nullable String reason() {
    return text("reason");
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public @Nullable String endedAt() {
    return text("ended_at");
  }
}
