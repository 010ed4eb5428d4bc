// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PublicDevicesCreateResult, as the API has it.
 */
public final class PublicDevicesCreateResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicDevicesCreateResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * True for a new device, false when a known one was refreshed.
   */
  public boolean created() {
    return there("created", flag("created"));
  }
}
