// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CountSegment, as the API has it.
 */
public final class CountSegment extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CountSegment(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public SegmentFilter filter() {
    return there("filter", object("filter", SegmentFilter::new));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CountSegment}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder filter(SegmentFilter value) {
      put("filter", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CountSegment build() {
      return new CountSegment(fields("filter"));
    }
  }
}
