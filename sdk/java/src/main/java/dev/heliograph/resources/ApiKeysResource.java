// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code apiKeys}. */
public final class ApiKeysResource {
  private final Transport transport;

  public ApiKeysResource(Transport transport) {
    this.transport = transport;
  }

  /**
   * List API keys.
   */
  public Pages<ApiKey> list() {
    return list(ApiKeysListQuery.builder().build(), RequestOptions.NONE);
  }

  /**
   * List API keys.
   */
  public Pages<ApiKey> list(ApiKeysListQuery query) {
    return list(query, RequestOptions.NONE);
  }

  /**
   * List API keys.
   */
  public Pages<ApiKey> list(ApiKeysListQuery query, RequestOptions options) {
    return transport.pages(Call.of("GET", "/api/v1/api-keys").query(query).options(options), ApiKey::new);
  }

  /**
   * Create an API key.
   */
  public NewApiKey create(CreateApiKey body) {
    return create(body, RequestOptions.NONE);
  }

  /**
   * Create an API key.
   */
  public NewApiKey create(CreateApiKey body, RequestOptions options) {
    return transport.value(Call.of("POST", "/api/v1/api-keys").body(body).takesKey().options(options), NewApiKey::new);
  }

  /**
   * Revoke an API key.
   */
  public ApiKeysDeleteResult delete(String id) {
    return delete(id, RequestOptions.NONE);
  }

  /**
   * Revoke an API key.
   */
  public ApiKeysDeleteResult delete(String id, RequestOptions options) {
    return transport.value(Call.of("DELETE", "/api/v1/api-keys/{id}", id).options(options), ApiKeysDeleteResult::new);
  }
}
