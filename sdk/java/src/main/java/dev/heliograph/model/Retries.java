// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Retries, as the API has it.
 */
public final class Retries extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Retries(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public List<RetriesData> data() {
    return there("data", list("data", RetriesData::new));
  }
}
