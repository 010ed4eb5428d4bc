// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ItemErrorDetail, as the API has it.
 */
public final class ItemErrorDetail extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ItemErrorDetail(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String field() {
    return there("field", text("field"));
  }

  public String message() {
    return there("message", text("message"));
  }

  public @Nullable Long line() {
    return integer("line");
  }

  public @Nullable Long column() {
    return integer("column");
  }
}
