// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Channel, as the API has it.
 */
public final class Channel extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Channel(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * One of: email, inbox.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  public @Nullable String address() {
    return text("address");
  }

  public @Nullable String contactId() {
    return text("contact_id");
  }

  /**
   * One of: active, suppressed, unsubscribed.
   */
  public String status() {
    return there("status", text("status"));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }
}
