// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ItemError, as the API has it.
 */
public final class ItemError extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ItemError(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: validation_error, unauthorized, identity_unverified, forbidden, not_found,
   * method_not_allowed, request_timeout, conflict, transfer_ownership_first, organization_has_payments,
   * payload_too_large, unsupported_media_type, idempotency_key_reused, rate_limited, internal_error,
   * unavailable, rate_limiter_unavailable.
   */
  public String code() {
    return there("code", text("code"));
  }

  public String message() {
    return there("message", text("message"));
  }

  public List<ItemErrorDetail> details() {
    return there("details", list("details", ItemErrorDetail::new));
  }
}
