// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deleted, as the API has it.
 */
public final class Deleted extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Deleted(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public boolean deleted() {
    return there("deleted", flag("deleted"));
  }
}
