// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code track}. */
public final class TrackResource {
  private final Transport transport;

  public TrackResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Confirm that a push was delivered.
   */
  public TrackCreateResult create(TrackDelivery body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Confirm that a push was delivered.
   */
  public TrackCreateResult create(TrackDelivery body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/track").body(body).options(options), TrackCreateResult::new);
  }
}
