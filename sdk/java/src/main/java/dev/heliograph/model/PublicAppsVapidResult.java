// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PublicAppsVapidResult, as the API has it.
 */
public final class PublicAppsVapidResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicAppsVapidResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String publicKey() {
    return there("public_key", text("public_key"));
  }
}
