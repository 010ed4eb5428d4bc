// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PublicInboxReadAllResult, as the API has it.
 */
public final class PublicInboxReadAllResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicInboxReadAllResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * How many became read by this request.
   */
  public long read() {
    return there("read", integer("read"));
  }
}
