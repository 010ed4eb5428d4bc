// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replay, as the API has it.
 */
public final class Replay extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Replay(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * One of: running, completed.
   */
  public String status() {
    return there("status", text("status"));
  }

  public ReplayFilter filter() {
    return there("filter", object("filter", ReplayFilter::new));
  }

  /**
   * Recipients that are pending again.
   */
  public long replayed() {
    return there("replayed", integer("replayed"));
  }

  /**
   * Letters that the filter describes and that could not go again: their notification is cancelled or
   * gone, their recipient has been deleted, or their batch was still on its way.
   */
  public long skipped() {
    return there("skipped", integer("skipped"));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public @Nullable String completedAt() {
    return text("completed_at");
  }
}
