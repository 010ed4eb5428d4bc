// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * NotificationPreview, as the API has it.
 */
public final class NotificationPreview extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public NotificationPreview(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long recipients() {
    return there("recipients", integer("recipients"));
  }

  /**
   * False: counting took too long, and the numbers are what the database expects.
   */
  public boolean isExact() {
    return there("is_exact", flag("is_exact"));
  }

  /**
   * Those with recipients.
   */
  public List<ProviderPreview> providers() {
    return there("providers", list("providers", ProviderPreview::new));
  }

  /**
   * Null when the application has all ids of `to`.
   */
  public @Nullable SkippedIds skipped() {
    return object("skipped", SkippedIds::new);
  }
}
