// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * AcceptedNotification, as the API has it.
 */
public final class AcceptedNotification extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public AcceptedNotification(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * One of: scheduled, queued, sending, paused, completed, cancelled.
   */
  public String status() {
    return there("status", text("status"));
  }

  public @Nullable SkippedIds skipped() {
    return object("skipped", SkippedIds::new);
  }
}
