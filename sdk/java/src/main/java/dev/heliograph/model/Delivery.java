// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Delivery, as the API has it.
 */
public final class Delivery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Delivery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public @Nullable String deviceId() {
    return text("device_id");
  }

  public @Nullable String channelId() {
    return text("channel_id");
  }

  /**
   * One of: apns, fcm, webpush, smtp, inbox.
   */
  public String provider() {
    return there("provider", text("provider"));
  }

  /**
   * One of: sent, failed, skipped, cancelled.
   */
  public String status() {
    return there("status", text("status"));
  }

  /**
   * The provider's own id of the message.
   */
  public @Nullable String messageId() {
    return text("message_id");
  }

  /**
   * Why it was not sent: a short code. `outcome_unknown` beside `cancelled`: a node that died or froze
   * had the message in hand when the notification was cancelled, so the recipient may have got it. If
   * that node comes back with the result, the result replaces this.
   */
  public @Nullable String error() {
    return text("error");
  }

  /**
   * How often it was tried, the last time included. Not counted is a try that says nothing about the
   * message: where the provider refuses the credential, or asks to wait (429; a mail server's 421, 454,
   * 450 and 451 with 4.7, as of greylisting, and any 4xx before it is offered a mail).
   */
  public long attempts() {
    return there("attempts", integer("attempts"));
  }

  public String completedAt() {
    return there("completed_at", text("completed_at"));
  }

  /**
   * When the client reported it, of push alone; as the next two, as long as reports are kept.
   */
  public @Nullable String deliveredAt() {
    return text("delivered_at");
  }

  public @Nullable String openedAt() {
    return text("opened_at");
  }

  public @Nullable String clickedAt() {
    return text("clicked_at");
  }
}
