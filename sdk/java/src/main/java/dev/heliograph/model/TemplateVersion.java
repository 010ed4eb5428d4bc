// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TemplateVersion, as the API has it.
 */
public final class TemplateVersion extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TemplateVersion(Map<String, ? extends @Nullable Object> json) {
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

  public TemplateVersionActor actor() {
    return there("actor", object("actor", TemplateVersionActor::new));
  }

  public String templateId() {
    return there("template_id", text("template_id"));
  }

  public Content content() {
    return there("content", object("content", Content::new));
  }

  public Map<String, ? extends @Nullable Object> locales() {
    return there("locales", map("locales"));
  }

  /**
   * One of: error, empty.
   */
  public String missingVariables() {
    return there("missing_variables", text("missing_variables"));
  }
}
