// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RaisedEvent, as the API has it.
 */
public final class RaisedEvent extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RaisedEvent(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }
}
