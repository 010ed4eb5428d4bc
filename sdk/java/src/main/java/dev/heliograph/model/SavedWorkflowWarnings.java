// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * SavedWorkflowWarnings, as the API has it.
 */
public final class SavedWorkflowWarnings extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public SavedWorkflowWarnings(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String field() {
    return there("field", text("field"));
  }

  public String message() {
    return there("message", text("message"));
  }
}
