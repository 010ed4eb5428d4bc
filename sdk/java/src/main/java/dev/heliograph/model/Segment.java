// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Segment, as the API has it.
 */
public final class Segment extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Segment(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String name() {
    return there("name", text("name"));
  }

  public SegmentFilter filter() {
    return there("filter", object("filter", SegmentFilter::new));
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  public String updatedAt() {
    return there("updated_at", text("updated_at"));
  }
}
