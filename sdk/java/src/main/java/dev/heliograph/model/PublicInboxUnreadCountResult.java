// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PublicInboxUnreadCountResult, as the API has it.
 */
public final class PublicInboxUnreadCountResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicInboxUnreadCountResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long unreadCount() {
    return there("unread_count", integer("unread_count"));
  }
}
