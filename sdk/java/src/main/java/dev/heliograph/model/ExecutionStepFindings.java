// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ExecutionStepFindings, as the API has it.
 */
public final class ExecutionStepFindings extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ExecutionStepFindings(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String about() {
    return there("about", text("about"));
  }

  public boolean fits() {
    return there("fits", flag("fits"));
  }

  /**
   * Absent where nothing was there.
   */
  public @Nullable Object actual() {
    return any("actual");
  }
}
