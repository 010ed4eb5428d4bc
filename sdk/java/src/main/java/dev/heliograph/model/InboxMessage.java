// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * InboxMessage, as the API has it.
 */
public final class InboxMessage extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public InboxMessage(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public @Nullable String title() {
    return text("title");
  }

  public @Nullable String body() {
    return text("body");
  }

  public @Nullable String url() {
    return text("url");
  }

  public Map<String, ? extends @Nullable Object> data() {
    return there("data", map("data"));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  /**
   * Null: unread.
   */
  public @Nullable String readAt() {
    return text("read_at");
  }
}
