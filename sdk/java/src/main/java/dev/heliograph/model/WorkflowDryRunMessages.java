// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowDryRunMessages, as the API has it.
 */
public final class WorkflowDryRunMessages extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowDryRunMessages(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String key() {
    return there("key", text("key"));
  }

  public @Nullable Content content() {
    return object("content", Content::new);
  }

  /**
   * Why it cannot be filled.
   */
  public @Nullable String problem() {
    return text("problem");
  }
}
