// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CredentialCheck, as the API has it.
 */
public final class CredentialCheck extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CredentialCheck(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: apns, fcm, webpush, smtp.
   */
  public String kind() {
    return there("kind", text("kind"));
  }

  /**
   * `accepted`: the provider knows the sender. `refused`: it takes no messages with this credential.
   * `unreachable`: it gave no answer that says either. `unasked`: there is nobody to ask, as for Web
   * Push, whose services are asked with a browser's subscription; what can be judged without them is
   * right.
   * One of: accepted, refused, unreachable, unasked.
   */
  public String status() {
    return there("status", text("status"));
  }

  /**
   * Why, in words; null when it was accepted.
   */
  public @Nullable String reason() {
    return text("reason");
  }

  public String checkedAt() {
    return there("checked_at", text("checked_at"));
  }
}
