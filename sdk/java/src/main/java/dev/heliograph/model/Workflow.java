// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Workflow, as the API has it.
 */
public final class Workflow extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Workflow(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String name() {
    return there("name", text("name"));
  }

  /**
   * One of: draft, active, archived.
   */
  public String status() {
    return there("status", text("status"));
  }

  /**
   * Counts the changes, from 1. Runs stay on the version that they entered.
   */
  public long version() {
    return there("version", integer("version"));
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

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public String updatedAt() {
    return there("updated_at", text("updated_at"));
  }
}
