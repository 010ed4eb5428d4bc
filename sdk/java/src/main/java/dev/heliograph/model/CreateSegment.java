// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CreateSegment, as the API has it.
 */
public final class CreateSegment extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public CreateSegment(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String name() {
    return there("name", text("name"));
  }

  public SegmentFilter filter() {
    return there("filter", object("filter", SegmentFilter::new));
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link CreateSegment}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    public Builder filter(SegmentFilter value) {
      put("filter", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public CreateSegment build() {
      return new CreateSegment(fields("name", "filter"));
    }
  }
}
