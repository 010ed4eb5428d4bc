// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TemplateVersionSummary, as the API has it.
 */
public final class TemplateVersionSummary extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TemplateVersionSummary(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public long version() {
    return there("version", integer("version"));
  }

  /**
   * What the template was called.
   */
  public String name() {
    return there("name", text("name"));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public TemplateVersionSummaryActor actor() {
    return there("actor", object("actor", TemplateVersionSummaryActor::new));
  }
}
