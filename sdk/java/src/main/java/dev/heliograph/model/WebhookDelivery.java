// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WebhookDelivery, as the API has it.
 */
public final class WebhookDelivery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WebhookDelivery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * The `id` of the delivered body, the same on every attempt.
   */
  public String eventId() {
    return there("event_id", text("event_id"));
  }

  /**
   * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
   * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
   */
  public String event() {
    return there("event", text("event"));
  }

  /**
   * `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts
   * failed; there is a dead letter.
   * One of: delivered, pending, retrying, exhausted.
   */
  public String status() {
    return there("status", text("status"));
  }

  /**
   * The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled.
   */
  public boolean isPaused() {
    return there("is_paused", flag("is_paused"));
  }

  public long attempts() {
    return there("attempts", integer("attempts"));
  }

  /**
   * When each attempt began, oldest first.
   */
  public List<String> attemptedAt() {
    return there("attempted_at", list("attempted_at"));
  }

  /**
   * What came of each attempt, as `attempted_at` has them.
   */
  public List<WebhookAnswer> answers() {
    return there("answers", list("answers", WebhookAnswer::new));
  }

  /**
   * Of the last attempt; null when there was no answer.
   */
  public @Nullable Long responseStatus() {
    return integer("response_status");
  }

  /**
   * Why the last attempt failed.
   */
  public @Nullable String reason() {
    return text("reason");
  }

  /**
   * Of the last attempt.
   */
  public @Nullable Long latencyMs() {
    return integer("latency_ms");
  }

  /**
   * The earliest moment of the next attempt; null when there is none, or not before the webhook is
   * enabled.
   */
  public @Nullable String nextAttemptAt() {
    return text("next_attempt_at");
  }

  public String eventAt() {
    return there("event_at", text("event_at"));
  }
}
