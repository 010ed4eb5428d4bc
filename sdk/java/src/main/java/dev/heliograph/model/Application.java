// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Application, as the API has it.
 */
public final class Application extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Application(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String name() {
    return there("name", text("name"));
  }

  /**
   * Whether public requests that claim a user_id need a valid `X-Identity-Hash`.
   */
  public boolean identityVerification() {
    return there("identity_verification", flag("identity_verification"));
  }

  /**
   * Until when the identity secret before the present one is good too; null when it is not.
   */
  public @Nullable String formerIdentitySecretUntil() {
    return text("former_identity_secret_until");
  }

  /**
   * What these options put at risk.
   */
  public List<String> warnings() {
    return there("warnings", list("warnings"));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }
}
