// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code application}. */
public final class ApplicationResource {
  private final Transport transport;

  public ApplicationResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * Read the application and its options.
   */
  public Application get() {
    return get(RequestOptions.NONE);
  }

  /**
   * Read the application and its options.
   */
  public Application get(RequestOptions options) {
    return transport.value(Call.of("GET", "/api/v1/application").options(options), Application::new);
  }

  /**
   * Change the application's options.
   */
  public Application update(UpdateApplication body) {
    return update(body, RequestOptions.NONE);
  }

  /**
   * Change the application's options.
   */
  public Application update(UpdateApplication body, RequestOptions options) {
    return transport.value(Call.of("PATCH", "/api/v1/application").body(body).options(options), Application::new);
  }

  /**
   * Issue a new identity secret.
   */
  public ApplicationCreateIdentitySecretResult createIdentitySecret(IssueIdentitySecret body) {
    return createIdentitySecret(body, RequestOptions.NONE);
  }

  /**
   * Issue a new identity secret.
   */
  public ApplicationCreateIdentitySecretResult createIdentitySecret(IssueIdentitySecret body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/application/identity-secret").body(body).takesKey().options(options), ApplicationCreateIdentitySecretResult::new);
  }
}
