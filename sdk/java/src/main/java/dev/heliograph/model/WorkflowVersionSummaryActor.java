// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who made it.
 */
public final class WorkflowVersionSummaryActor extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowVersionSummaryActor(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * `key`: a secret key, by its id. `user`: a person. `cli`: somebody at the command line, by the
   * system's user name. `system`: the service itself.
   * One of: key, user, cli, system.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  public @Nullable String id() {
    return text("id");
  }

  /**
   * Of a person who still has an account.
   */
  public @Nullable String email() {
    return text("email");
  }
}
