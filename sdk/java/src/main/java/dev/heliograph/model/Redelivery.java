// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Redelivery, as the API has it.
 */
public final class Redelivery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Redelivery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String webhookId() {
    return there("webhook_id", text("webhook_id"));
  }

  /**
   * `completed`: all that was wanted is pending again. What came of it, the list of deliveries shows.
   * One of: running, completed.
   */
  public String status() {
    return there("status", text("status"));
  }

  /**
   * Deliveries that are pending again, so far.
   */
  public long redelivered() {
    return there("redelivered", integer("redelivered"));
  }

  public RedeliveryWanted wanted() {
    return there("wanted", object("wanted", RedeliveryWanted::new));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public @Nullable String completedAt() {
    return text("completed_at");
  }
}
