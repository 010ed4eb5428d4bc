// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CancelledExecutions, as the API has it.
 */
public final class CancelledExecutions extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CancelledExecutions(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Those that were cancelled at once.
   */
  public long cancelled() {
    return there("cancelled", integer("cancelled"));
  }

  /**
   * False: others are cancelled in the background.
   */
  public boolean isDone() {
    return there("is_done", flag("is_done"));
  }
}
