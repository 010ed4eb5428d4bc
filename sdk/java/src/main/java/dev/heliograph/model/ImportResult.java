// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ImportResult, as the API has it.
 */
public final class ImportResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ImportResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long line() {
    return there("line", integer("line"));
  }

  public @Nullable String id() {
    return text("id");
  }

  public @Nullable Boolean created() {
    return flag("created");
  }

  public @Nullable ItemError error() {
    return object("error", ItemError::new);
  }
}
