// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ProviderPreviewPayload, as the API has it.
 */
public final class ProviderPreviewPayload extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ProviderPreviewPayload(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long bytes() {
    return there("bytes", integer("bytes"));
  }

  public long limit() {
    return there("limit", integer("limit"));
  }

  public boolean fits() {
    return there("fits", flag("fits"));
  }
}
