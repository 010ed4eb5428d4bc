// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Webhook, as the API has it.
 */
public final class Webhook extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Webhook(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String name() {
    return there("name", text("name"));
  }

  public String url() {
    return there("url", text("url"));
  }

  /**
   * No events means all events.
   * One of: NOTIFICATION_SENT, NOTIFICATION_FAILED, NOTIFICATION_DELIVERED, NOTIFICATION_OPENED,
   * NOTIFICATION_CLICKED, WORKFLOW_COMPLETED, WORKFLOW_FILTERED, WORKFLOW_FAILED, WORKFLOW_CANCELLED.
   */
  public List<String> events() {
    return there("events", list("events"));
  }

  public boolean isActive() {
    return there("is_active", flag("is_active"));
  }

  /**
   * Set when the service disabled the webhook after repeated failures.
   */
  public @Nullable String disabledReason() {
    return text("disabled_reason");
  }

  /**
   * Whether deliveries carry `X-Service-Signature`.
   */
  public boolean isSigned() {
    return there("is_signed", flag("is_signed"));
  }

  /**
   * Until when the signature has a further `v1` for what was replaced; null when nothing overlaps.
   */
  public @Nullable String signatureOverlapUntil() {
    return text("signature_overlap_until");
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public String updatedAt() {
    return there("updated_at", text("updated_at"));
  }
}
