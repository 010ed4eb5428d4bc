// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TestWebhook, as the API has it.
 */
public final class TestWebhook extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TestWebhook(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Unless given, the first that the webhook subscribes to.
   * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
   * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
   */
  public @Nullable String event() {
    return text("event");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link TestWebhook}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Unless given, the first that the webhook subscribes to.
     * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
     * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
     */
    public Builder event(String value) {
      put("event", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public TestWebhook build() {
      return new TestWebhook(fields());
    }
  }
}
