// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TemplatePreview, as the API has it.
 */
public final class TemplatePreview extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TemplatePreview(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Which language was taken; null for the default.
   */
  public @Nullable String language() {
    return text("language");
  }

  public Content content() {
    return there("content", object("content", Content::new));
  }
}
