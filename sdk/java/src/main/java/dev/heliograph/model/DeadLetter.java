// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * DeadLetter, as the API has it.
 */
public final class DeadLetter extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public DeadLetter(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * One of: notification, webhook.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  /**
   * Why the last attempt failed.
   */
  public String error() {
    return there("error", text("error"));
  }

  public long attempts() {
    return there("attempts", integer("attempts"));
  }

  public boolean canReplay() {
    return there("can_replay", flag("can_replay"));
  }

  /**
   * `webhook`: deliveries to webhooks are never replayed. `replayed`: it went again, at `replayed_at`.
   * `recipient_gone`: the provider has said that the token or address is dead, or the device or channel
   * has been deleted. `content_refused`: the content is too large or empty, at every attempt.
   * One of: webhook, replayed, recipient_gone, content_refused.
   */
  public @Nullable String cannotReplayBecause() {
    return text("cannot_replay_because");
  }

  public @Nullable String notificationId() {
    return text("notification_id");
  }

  /**
   * The device, or the channel.
   */
  public @Nullable String recipientId() {
    return text("recipient_id");
  }

  /**
   * One of: apns, fcm, webpush, smtp, inbox.
   */
  public @Nullable String provider() {
    return text("provider");
  }

  public @Nullable String webhookId() {
    return text("webhook_id");
  }

  public @Nullable String eventId() {
    return text("event_id");
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public @Nullable String replayedAt() {
    return text("replayed_at");
  }
}
