// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ids in `device_ids` or `channel_ids` that are none of the application's. They count nowhere:
 * everybody else is reached.
 */
public final class SkippedIds extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public SkippedIds(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long count() {
    return there("count", integer("count"));
  }

  /**
   * The first 100 of them, as they were sent.
   */
  public List<String> ids() {
    return there("ids", list("ids"));
  }
}
