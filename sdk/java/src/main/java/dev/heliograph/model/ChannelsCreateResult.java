// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ChannelsCreateResult, as the API has it.
 */
public final class ChannelsCreateResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ChannelsCreateResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * False when it was there before.
   */
  public boolean created() {
    return there("created", flag("created"));
  }
}
