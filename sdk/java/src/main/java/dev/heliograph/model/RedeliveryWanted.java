// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RedeliveryWanted, as the API has it.
 */
public final class RedeliveryWanted extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RedeliveryWanted(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String from() {
    return text("from");
  }

  public @Nullable String to() {
    return text("to");
  }

  /**
   * One of: exhausted, delivered.
   */
  public @Nullable String status() {
    return text("status");
  }

  public @Nullable String deliveryId() {
    return text("delivery_id");
  }
}
