// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowVersion, as the API has it.
 */
public final class WorkflowVersion extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowVersion(Map<String, ? extends @Nullable Object> json) {
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
  public WorkflowVersionActor actor() {
    return there("actor", object("actor", WorkflowVersionActor::new));
  }

  /**
   * Of it, those under way.
   */
  public long runs() {
    return there("runs", integer("runs"));
  }

  public WorkflowTrigger trigger() {
    return there("trigger", object("trigger", WorkflowTrigger::new));
  }

  public List<WorkflowStep> steps() {
    return there("steps", list("steps", WorkflowStep::new));
  }

  /**
   * `always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`:
   * never again, whatever became of the run. Whoever may not enter is passed over.
   * One of: always, when_ended, once.
   */
  public String reentry() {
    return there("reentry", text("reentry"));
  }
}
