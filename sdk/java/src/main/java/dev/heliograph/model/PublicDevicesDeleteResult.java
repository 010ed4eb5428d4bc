// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * PublicDevicesDeleteResult, as the API has it.
 */
public final class PublicDevicesDeleteResult extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public PublicDevicesDeleteResult(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * False when there was no such device.
   */
  public boolean deleted() {
    return there("deleted", flag("deleted"));
  }
}
