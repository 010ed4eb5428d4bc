// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ApiKeysDeleteResult, as the API has it.
 */
public final class ApiKeysDeleteResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ApiKeysDeleteResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public boolean revoked() {
    return there("revoked", flag("revoked"));
  }
}
