// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * NotificationStats, as the API has it.
 */
public final class NotificationStats extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public NotificationStats(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public List<NotificationStatsData> data() {
    return there("data", list("data", NotificationStatsData::new));
  }
}
