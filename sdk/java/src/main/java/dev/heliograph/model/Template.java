// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Template, as the API has it.
 */
public final class Template extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Template(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String name() {
    return there("name", text("name"));
  }

  /**
   * Counts the changes, from 1.
   */
  public long version() {
    return there("version", integer("version"));
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

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public String updatedAt() {
    return there("updated_at", text("updated_at"));
  }
}
