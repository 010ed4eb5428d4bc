// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code webhooks}. */
public final class WebhooksResource {
  private final Transport transport;

  public WebhooksResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Create a webhook.
   */
  public Webhook create(CreateWebhook body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Create a webhook.
   */
  public Webhook create(CreateWebhook body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/webhooks").body(body).takesKey().options(options), Webhook::new);
  }

  /**
   * List webhooks.
   */
  public Pages<Webhook> list() {
    return list(WebhooksListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List webhooks.
   */
  public Pages<Webhook> list(WebhooksListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List webhooks.
   */
  public Pages<Webhook> list(WebhooksListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/webhooks").query(query).options(options), Webhook::new);
  }

  /**
   * Read a webhook.
   */
  public Webhook get(String id) {
    return get(id, RequestOptions.NONE);
  }

  /**
   * Read a webhook.
   */
  public Webhook get(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/webhooks/{id}", id).options(options), Webhook::new);
  }

  /**
   * Change a webhook.
   */
  public Webhook update(String id, UpdateWebhook body) {
    return update(id, body, RequestOptions.NONE);
  }

  /**
   * Change a webhook.
   */
  public Webhook update(String id, UpdateWebhook body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/webhooks/{id}", id).body(body).options(options), Webhook::new);
  }

  /**
   * Delete a webhook.
   */
  public Deleted delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Delete a webhook.
   */
  public Deleted delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/webhooks/{id}", id).options(options), Deleted::new);
  }

  /**
   * Send a test delivery now.
   */
  public WebhookTest test(String id) {
    return test(id, TestWebhook.builder().build(), RequestOptions.NONE);
  }

  /**
   * Send a test delivery now.
   */
  public WebhookTest test(String id, TestWebhook body) {
    return test(id, body, RequestOptions.NONE);
  }

  /**
   * Send a test delivery now.
   */
  public WebhookTest test(String id, TestWebhook body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/webhooks/{id}/test", id).body(body).takesKey().options(options), WebhookTest::new);
  }

  /**
   * List recent deliveries.
   */
  public Pages<WebhookDelivery> deliveries(String id) {
    return deliveries(id, WebhooksDeliveriesQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List recent deliveries.
   */
  public Pages<WebhookDelivery> deliveries(String id, WebhooksDeliveriesQuery query) {
    return deliveries(id, query, RequestOptions.NONE);
  }

  /**
   * List recent deliveries.
   */
  public Pages<WebhookDelivery> deliveries(String id, WebhooksDeliveriesQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/webhooks/{id}/deliveries", id).query(query).options(options), WebhookDelivery::new);
  }

  /**
   * Read a delivery with its body.
   */
  public WebhookDeliveryWithBody delivery(String id, WebhooksDeliveryQuery query) {
    return delivery(id, query, RequestOptions.NONE);
  }

  /**
   * Read a delivery with its body.
   */
  public WebhookDeliveryWithBody delivery(String id, WebhooksDeliveryQuery query, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/webhooks/{id}/delivery", id).query(query).options(options), WebhookDeliveryWithBody::new);
  }

  /**
   * Deliver again what a webhook's receiver missed.
   */
  public Redelivery redeliver(String id, RedeliverWebhook body) {
    return redeliver(id, body, RequestOptions.NONE);
  }

  /**
   * Deliver again what a webhook's receiver missed.
   */
  public Redelivery redeliver(String id, RedeliverWebhook body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/webhooks/{id}/redeliver", id).body(body).takesKey().options(options), Redelivery::new);
  }

  /**
   * Follow a redelivery.
   */
  public Redelivery getRedelivery(String id) {
    return getRedelivery(id, RequestOptions.NONE);
  }

  /**
   * Follow a redelivery.
   */
  public Redelivery getRedelivery(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/webhooks/redeliveries/{id}", id).options(options), Redelivery::new);
  }
}
