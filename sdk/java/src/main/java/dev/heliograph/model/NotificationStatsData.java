// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * NotificationStatsData, as the API has it.
 */
public final class NotificationStatsData extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public NotificationStatsData(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: apns, fcm, webpush, smtp, inbox.
   */
  public String provider() {
    return there("provider", text("provider"));
  }

  public long accepted() {
    return there("accepted", integer("accepted"));
  }

  public long pending() {
    return there("pending", integer("pending"));
  }

  public long sent() {
    return there("sent", integer("sent"));
  }

  public long failed() {
    return there("failed", integer("failed"));
  }

  public long skipped() {
    return there("skipped", integer("skipped"));
  }

  public long cancelled() {
    return there("cancelled", integer("cancelled"));
  }
}
