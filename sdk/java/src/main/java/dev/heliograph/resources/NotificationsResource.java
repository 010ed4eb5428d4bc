// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code notifications}. */
public final class NotificationsResource {
  private final Transport transport;

  public NotificationsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Cancel a notification.
   */
  public NotificationSummary cancel(String id) {
    return cancel(id, RequestOptions.NONE);
  }

  /**
   * Cancel a notification.
   */
  public NotificationSummary cancel(String id, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/notifications/{id}/cancel", id).takesKey().options(options), NotificationSummary::new);
  }

  /**
   * Pause a notification.
   */
  public NotificationSummary pause(String id) {
    return pause(id, RequestOptions.NONE);
  }

  /**
   * Pause a notification.
   */
  public NotificationSummary pause(String id, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/notifications/{id}/pause", id).takesKey().options(options), NotificationSummary::new);
  }

  /**
   * Resume a paused notification.
   */
  public NotificationSummary resume(String id) {
    return resume(id, RequestOptions.NONE);
  }

  /**
   * Resume a paused notification.
   */
  public NotificationSummary resume(String id, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/notifications/{id}/resume", id).takesKey().options(options), NotificationSummary::new);
  }

  /**
   * Send a notification.
   */
  public AcceptedNotification create(SendNotification body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Send a notification.
   */
  public AcceptedNotification create(SendNotification body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/notifications").body(body).takesKey().options(options), AcceptedNotification::new);
  }

  /**
   * List notifications.
   */
  public Pages<NotificationSummary> list() {
    return list(NotificationsListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List notifications.
   */
  public Pages<NotificationSummary> list(NotificationsListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List notifications.
   */
  public Pages<NotificationSummary> list(NotificationsListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/notifications").query(query).options(options), NotificationSummary::new);
  }

  /**
   * See what a notification would do.
   */
  public NotificationPreview preview(SendNotification body) {
    return preview(body, RequestOptions.NONE);
  }

  /**
   * See what a notification would do.
   */
  public NotificationPreview preview(SendNotification body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/notifications/preview").body(body).takesKey().options(options), NotificationPreview::new);
  }

  /**
   * Read a notification and its counts.
   */
  public Notification get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a notification and its counts.
   */
  public Notification get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/notifications/{id}", id).options(options), Notification::new);
  }

  /**
   * Change a scheduled notification.
   */
  public Notification update(String id, UpdateNotification body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Change a scheduled notification.
   */
  public Notification update(String id, UpdateNotification body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/notifications/{id}", id).body(body).options(options), Notification::new);
  }

  /**
   * List what became of each recipient.
   */
  public Pages<Delivery> deliveries(String id) {
    return deliveries(id, NotificationsDeliveriesQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List what became of each recipient.
   */
  public Pages<Delivery> deliveries(String id, NotificationsDeliveriesQuery query) {
    return deliveries(id, query, RequestOptions.NONE);
  }

  /**
   * List what became of each recipient.
   */
  public Pages<Delivery> deliveries(String id, NotificationsDeliveriesQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/notifications/{id}/deliveries", id).query(query).options(options), Delivery::new);
  }

  /**
   * Count why recipients ended as they did.
   */
  public Outcomes outcomes(String id) {
    return outcomes(id, RequestOptions.NONE);
  }

  /**
   * Count why recipients ended as they did.
   */
  public Outcomes outcomes(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/notifications/{id}/outcomes", id).options(options), Outcomes::new);
  }

  /**
   * Say what pending recipients wait for.
   */
  public Retries retries(String id) {
    return retries(id, RequestOptions.NONE);
  }

  /**
   * Say what pending recipients wait for.
   */
  public Retries retries(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/notifications/{id}/retries", id).options(options), Retries::new);
  }

  /**
   * Read a notification's counts by provider.
   */
  public NotificationStats stats(String id) {
    return stats(id, RequestOptions.NONE);
  }

  /**
   * Read a notification's counts by provider.
   */
  public NotificationStats stats(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/notifications/{id}/stats", id).options(options), NotificationStats::new);
  }

  /**
   * List what webhooks were told of a recipient.
   */
  public RecipientWebhookDeliveries webhookDeliveries(String id, NotificationsWebhookDeliveriesQuery query) {
    return webhookDeliveries(id, query, RequestOptions.NONE);
  }

  /**
   * List what webhooks were told of a recipient.
   */
  public RecipientWebhookDeliveries webhookDeliveries(String id, NotificationsWebhookDeliveriesQuery query, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/notifications/{id}/webhook-deliveries", id).query(query).options(options), RecipientWebhookDeliveries::new);
  }
}
