// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code stats}. */
public final class StatsResource {
  private final Transport transport;

  public StatsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Count what happened, by day and provider.
   */
  public Stats get() {
    return get(StatsGetQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * Count what happened, by day and provider.
   */
  public Stats get(StatsGetQuery query) {
    return get(query, RequestOptions.NONE);
  }

  /**
   * Count what happened, by day and provider.
   */
  public Stats get(StatsGetQuery query, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/stats").query(query).options(options), Stats::new);
  }
}
