// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowVersionSummary, as the API has it.
 */
public final class WorkflowVersionSummary extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowVersionSummary(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Of the version.
   */
  public String id() {
    return there("id", text("id"));
  }

  public long version() {
    return there("version", integer("version"));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  /**
   * Who made it.
   */
  public WorkflowVersionSummaryActor actor() {
    return there("actor", object("actor", WorkflowVersionSummaryActor::new));
  }

  /**
   * Of it, those under way.
   */
  public long runs() {
    return there("runs", integer("runs"));
  }
}
