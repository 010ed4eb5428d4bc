// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What stats.get can be asked for.
 */
public final class StatsGetQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public StatsGetQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable String from() {
    return text("from");
  }

  public @Nullable String to() {
    return text("to");
  }

  /**
   * `day` unless given.
   * One of: application, day, provider, day_provider.
   */
  public @Nullable String groupBy() {
    return text("group_by");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link StatsGetQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder from(String value) {
      put("from", value);
      return this;
    }

    public Builder to(String value) {
      put("to", value);
      return this;
    }

    /**
     * `day` unless given.
     * One of: application, day, provider, day_provider.
     */
    public Builder groupBy(String value) {
      put("group_by", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public StatsGetQuery build() {
      return new StatsGetQuery(fields());
    }
  }
}
