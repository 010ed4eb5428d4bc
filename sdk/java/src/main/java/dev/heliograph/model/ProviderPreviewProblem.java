// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ProviderPreviewProblem, as the API has it.
 */
public final class ProviderPreviewProblem extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ProviderPreviewProblem(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String field() {
    return there("field", text("field"));
  }

  /**
   * One of: missing_variable, template_failed.
   */
  public String code() {
    return there("code", text("code"));
  }

  public String message() {
    return there("message", text("message"));
  }
}
