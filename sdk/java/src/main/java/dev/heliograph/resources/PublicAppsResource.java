// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code publicApps}. */
public final class PublicAppsResource {
  private final Transport transport;

  public PublicAppsResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Read the key that browsers subscribe with.
   */
  public PublicAppsVapidResult vapid(String id) {
    return vapid(id, RequestOptions.NONE);
  }

  /**
   * Read the key that browsers subscribe with.
   */
  public PublicAppsVapidResult vapid(String id, RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/public/apps/{id}/vapid", id).options(options), PublicAppsVapidResult::new);
  }
}
