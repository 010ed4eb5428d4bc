// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Contact, as the API has it.
 */
public final class Contact extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Contact(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String externalId() {
    return there("external_id", text("external_id"));
  }

  /**
   * The address of the contact's e-mail channel.
   */
  public @Nullable String email() {
    return text("email");
  }

  public Map<String, ? extends @Nullable Object> attributes() {
    return there("attributes", map("attributes"));
  }

  public List<String> tags() {
    return there("tags", list("tags"));
  }

  public @Nullable String locale() {
    return text("locale");
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  public Preferences preferences() {
    return there("preferences", object("preferences", Preferences::new));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public String updatedAt() {
    return there("updated_at", text("updated_at"));
  }
}
