// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Credential, as the API has it.
 */
public final class Credential extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Credential(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: apns, fcm, webpush, smtp.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  /**
   * What was set, without its secrets.
   */
  public Map<String, ? extends @Nullable Object> settings() {
    return there("settings", map("settings"));
  }

  /**
   * Why the provider refuses this credential; null while it is good. Nothing is sent with one that is
   * suspended.
   */
  public @Nullable String suspendedReason() {
    return text("suspended_reason");
  }

  public String updatedAt() {
    return there("updated_at", text("updated_at"));
  }
}
