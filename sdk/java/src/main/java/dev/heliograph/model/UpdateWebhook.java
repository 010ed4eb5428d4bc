// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * UpdateWebhook, as the API has it.
 */
public final class UpdateWebhook extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public UpdateWebhook(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String name() {
    return text("name");
  }

  public @Nullable String url() {
    return text("url");
  }

  public @Nullable String secret() {
    return text("secret");
  }

  /**
   * With a new `secret`: for how long the one before it signs beside it, as a further `v1`. Left out, or
   * 0: not at all.
   */
  public @Nullable Long secretOverlapSeconds() {
    return integer("secret_overlap_seconds");
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

  /** Makes {@link UpdateWebhook}. */
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
     * With a new `secret`: for how long the one before it signs beside it, as a further `v1`. Left out, or
     * 0: not at all.
     */
    public Builder secretOverlapSeconds(long value) {
      put("secret_overlap_seconds", value);
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
    public UpdateWebhook build() {
      return new UpdateWebhook(fields());
    }
  }
}
