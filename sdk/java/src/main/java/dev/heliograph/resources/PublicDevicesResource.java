// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code publicDevices}. */
public final class PublicDevicesResource {
  private final Transport transport;

  public PublicDevicesResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Register or refresh a device.
   */
  public PublicDevicesCreateResult create(RegisterDevice body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Register or refresh a device.
   */
  public PublicDevicesCreateResult create(RegisterDevice body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/public/devices").body(body).options(options), PublicDevicesCreateResult::new);
  }

  /**
   * Remove a device by its token.
   */
  public PublicDevicesDeleteResult delete(PublicDevicesDeleteBody body) {
    return delete(body, RequestOptions.NONE);
  }

  /**
   * Remove a device by its token.
   */
  public PublicDevicesDeleteResult delete(PublicDevicesDeleteBody body, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/public/devices").body(body).options(options), PublicDevicesDeleteResult::new);
  }
}
