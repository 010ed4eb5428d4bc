// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Stats, as the API has it.
 */
public final class Stats extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Stats(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String from() {
    return there("from", text("from"));
  }

  public String to() {
    return there("to", text("to"));
  }

  /**
   * One of: application, day, provider, day_provider.
   */
  public String groupBy() {
    return there("group_by", text("group_by"));
  }

  public StatsTotal total() {
    return there("total", object("total", StatsTotal::new));
  }

  /**
   * In the order of days. Days and providers with nothing to count are left out.
   */
  public List<StatsData> data() {
    return there("data", list("data", StatsData::new));
  }
}
