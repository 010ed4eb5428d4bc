// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CreateWebhook, as the API has it.
 */
public final class CreateWebhook extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CreateWebhook(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String name() {
    return there("name", text("name"));
  }

  public String url() {
    return there("url", text("url"));
  }

  public @Nullable String secret() {
    return text("secret");
  }

  /**
   * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
   * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
   */
  public @Nullable List<String> events() {
    return list("events");
  }

  public @Nullable Boolean isActive() {
    return flag("is_active");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CreateWebhook}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    public Builder url(String value) {
      put("url", value);
      return this;
    }

    public Builder secret(@Nullable String value) {
      put("secret", value);
      return this;
    }

    /**
     * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
     * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
     */
    public Builder events(List<String> value) {
      put("events", value);
      return this;
    }

    public Builder isActive(boolean value) {
      put("is_active", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CreateWebhook build() {
      return new CreateWebhook(fields("name", "url"));
    }
  }
}
