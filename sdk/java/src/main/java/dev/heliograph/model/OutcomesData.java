// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OutcomesData, as the API has it.
 */
public final class OutcomesData extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public OutcomesData(Map<String, ? extends @Nullable Object> json) {
    super(json);
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

  public @Nullable String error() {
    return text("error");
  }

  public long count() {
    return there("count", integer("count"));
  }
}
