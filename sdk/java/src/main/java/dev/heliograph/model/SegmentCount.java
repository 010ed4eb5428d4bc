// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * SegmentCount, as the API has it.
 */
public final class SegmentCount extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public SegmentCount(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long recipients() {
    return there("recipients", integer("recipients"));
  }

  public long devices() {
    return there("devices", integer("devices"));
  }

  /**
   * E-mail channels; they are reached by content with a part for e-mail.
   */
  public long emails() {
    return there("emails", integer("emails"));
  }

  /**
   * False: counting, or the wait for other counts, took longer than 3 s, and this is what the database
   * expects.
   */
  public boolean isExact() {
    return there("is_exact", flag("is_exact"));
  }
}
