// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WebhookTest, as the API has it.
 */
public final class WebhookTest extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WebhookTest(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Whether the answer was 2xx.
   */
  public boolean delivered() {
    return there("delivered", flag("delivered"));
  }

  public @Nullable Long responseStatus() {
    return integer("response_status");
  }

  public @Nullable String reason() {
    return text("reason");
  }

  public long latencyMs() {
    return there("latency_ms", integer("latency_ms"));
  }

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
}
