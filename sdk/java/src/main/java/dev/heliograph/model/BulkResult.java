// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * BulkResult, as the API has it.
 */
public final class BulkResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public BulkResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long index() {
    return there("index", integer("index"));
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
