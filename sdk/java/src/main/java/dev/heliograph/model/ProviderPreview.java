// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ProviderPreview, as the API has it.
 */
public final class ProviderPreview extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ProviderPreview(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: apns, fcm, webpush, smtp, inbox.
   */
  public String provider() {
    return there("provider", text("provider"));
  }

  public long recipients() {
    return there("recipients", integer("recipients"));
  }

  /**
   * Without a credential that is ready, these recipients get nothing.
   * One of: ready, refused, missing.
   */
  public String credential() {
    return there("credential", text("credential"));
  }

  /**
   * Of an inbox message it is `data` that has a limit. Null for e-mail, and where nothing can be filled.
   */
  public @Nullable ProviderPreviewPayload payload() {
    return object("payload", ProviderPreviewPayload::new);
  }

  /**
   * What somebody of the audience would get. Null where the template cannot be filled for them, or asks
   * for the person and nobody was found.
   */
  public @Nullable Content sample() {
    return object("sample", Content::new);
  }

  /**
   * Why the template cannot be filled for the sample: such a recipient fails.
   */
  public @Nullable ProviderPreviewProblem problem() {
    return object("problem", ProviderPreviewProblem::new);
  }
}
