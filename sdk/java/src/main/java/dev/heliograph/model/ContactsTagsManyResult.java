// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ContactsTagsManyResult, as the API has it.
 */
public final class ContactsTagsManyResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ContactsTagsManyResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long updated() {
    return there("updated", integer("updated"));
  }

  /**
   * External ids of no contact.
   */
  public List<String> unknown() {
    return there("unknown", list("unknown"));
  }

  /**
   * Those that would have more than 100 tags.
   */
  public List<String> full() {
    return there("full", list("full"));
  }
}
