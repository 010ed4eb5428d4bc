// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * InboxCreateMessagesResult, as the API has it.
 */
public final class InboxCreateMessagesResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public InboxCreateMessagesResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * How many people got it.
   */
  public long created() {
    return there("created", integer("created"));
  }
}
