// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WebhookAnswer, as the API has it.
 */
public final class WebhookAnswer extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WebhookAnswer(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Null when there was no answer.
   */
  public @Nullable Long responseStatus() {
    return integer("response_status");
  }

  /**
   * Why the attempt failed.
   */
  public @Nullable String reason() {
    return text("reason");
  }

  public long latencyMs() {
    return there("latency_ms", integer("latency_ms"));
  }
}
