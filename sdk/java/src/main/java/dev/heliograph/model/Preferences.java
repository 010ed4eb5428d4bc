// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Preferences, as the API has it.
 */
public final class Preferences extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Preferences(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public boolean push() {
    return there("push", flag("push"));
  }

  public boolean email() {
    return there("email", flag("email"));
  }

  public boolean inbox() {
    return there("inbox", flag("inbox"));
  }
}
