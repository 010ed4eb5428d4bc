// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * `machine_opened` and `machine_clicked` say how many of `opened` and `clicked` only machines did so
 * far (e-mail: scanners, prefetching, image proxies). Recipients. `accepted` = `pending` + `sent` +
 * `failed` + `skipped` + `cancelled`, at every moment.
 */
public final class Counts extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Counts(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public long accepted() {
    return there("accepted", integer("accepted"));
  }

  public long pending() {
    return there("pending", integer("pending"));
  }

  public long sent() {
    return there("sent", integer("sent"));
  }

  public long failed() {
    return there("failed", integer("failed"));
  }

  public long skipped() {
    return there("skipped", integer("skipped"));
  }

  public long cancelled() {
    return there("cancelled", integer("cancelled"));
  }

  public long delivered() {
    return there("delivered", integer("delivered"));
  }

  public long opened() {
    return there("opened", integer("opened"));
  }

  public long clicked() {
    return there("clicked", integer("clicked"));
  }

  public long machineOpened() {
    return there("machine_opened", integer("machine_opened"));
  }

  public long machineClicked() {
    return there("machine_clicked", integer("machine_clicked"));
  }
}
