// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Device, as the API has it.
 */
public final class Device extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Device(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * One of: ios, android, web.
   */
  public String platform() {
    return there("platform", text("platform"));
  }

  public String token() {
    return there("token", text("token"));
  }

  public @Nullable String userId() {
    return text("user_id");
  }

  public List<String> tags() {
    return there("tags", list("tags"));
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  /**
   * One of: production, sandbox.
   */
  public String environment() {
    return there("environment", text("environment"));
  }

  public Map<String, ? extends @Nullable Object> metadata() {
    return there("metadata", map("metadata"));
  }

  public @Nullable String webPushP256dh() {
    return text("web_push_p256dh");
  }

  public @Nullable String webPushAuth() {
    return text("web_push_auth");
  }

  /**
   * `invalid`: the push service says that the token is dead.
   * One of: active, invalid.
   */
  public String status() {
    return there("status", text("status"));
  }

  public @Nullable String invalidReason() {
    return text("invalid_reason");
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public String lastSeenAt() {
    return there("last_seen_at", text("last_seen_at"));
  }
}
