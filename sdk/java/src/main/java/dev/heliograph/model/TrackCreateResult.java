// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TrackCreateResult, as the API has it.
 */
public final class TrackCreateResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TrackCreateResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public boolean accepted() {
    return there("accepted", flag("accepted"));
  }
}
