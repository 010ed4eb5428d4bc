// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ApplicationCreateIdentitySecretResult, as the API has it.
 */
public final class ApplicationCreateIdentitySecretResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ApplicationCreateIdentitySecretResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * The secret, this once. Null when the answer is repeated for an Idempotency-Key: it is not kept.
   */
  public @Nullable String identitySecret() {
    return text("identity_secret");
  }

  public @Nullable String formerIdentitySecretUntil() {
    return text("former_identity_secret_until");
  }
}
