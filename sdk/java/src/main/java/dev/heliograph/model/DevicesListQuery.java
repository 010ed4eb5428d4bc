// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What devices.list can be asked for.
 */
public final class DevicesListQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public DevicesListQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: ios, android, web.
   */
  public @Nullable String platform() {
    return text("platform");
  }

  /**
   * One of: production, sandbox.
   */
  public @Nullable String environment() {
    return text("environment");
  }

  /**
   * One of: active, invalid.
   */
  public @Nullable String status() {
    return text("status");
  }

  public @Nullable String userId() {
    return text("user_id");
  }

  /**
   * With one of these tags at least; repeat the parameter for several.
   */
  public @Nullable List<String> tagsAny() {
    return list("tags_any");
  }

  /**
   * With all of these tags.
   */
  public @Nullable List<String> tagsAll() {
    return list("tags_all");
  }

  public @Nullable String createdFrom() {
    return text("created_from");
  }

  public @Nullable String createdBefore() {
    return text("created_before");
  }

  public @Nullable String lastSeenFrom() {
    return text("last_seen_from");
  }

  public @Nullable String lastSeenBefore() {
    return text("last_seen_before");
  }

  /**
   * Whom this segment holds now; beside other filters, whom all of them fit.
   */
  public @Nullable String segmentId() {
    return text("segment_id");
  }

  /**
   * How many to return, at most. 50 unless given.
   */
  public @Nullable Long limit() {
    return integer("limit");
  }

  /**
   * `next_cursor` of the page before. Leave it out for the first page.
   */
  public @Nullable String cursor() {
    return text("cursor");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link DevicesListQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: ios, android, web.
     */
    public Builder platform(String value) {
      put("platform", value);
      return this;
    }

    /**
     * One of: production, sandbox.
     */
    public Builder environment(String value) {
      put("environment", value);
      return this;
    }

    /**
     * One of: active, invalid.
     */
    public Builder status(String value) {
      put("status", value);
      return this;
    }

    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    /**
     * With one of these tags at least; repeat the parameter for several.
     */
    public Builder tagsAny(List<String> value) {
      put("tags_any", value);
      return this;
    }

    /**
     * With all of these tags.
     */
    public Builder tagsAll(List<String> value) {
      put("tags_all", value);
      return this;
    }

    public Builder createdFrom(String value) {
      put("created_from", value);
      return this;
    }

    public Builder createdBefore(String value) {
      put("created_before", value);
      return this;
    }

    public Builder lastSeenFrom(String value) {
      put("last_seen_from", value);
      return this;
    }

    public Builder lastSeenBefore(String value) {
      put("last_seen_before", value);
      return this;
    }

    /**
     * Whom this segment holds now; beside other filters, whom all of them fit.
     */
    public Builder segmentId(String value) {
      put("segment_id", value);
      return this;
    }

    /**
     * How many to return, at most. 50 unless given.
     */
    public Builder limit(long value) {
      put("limit", value);
      return this;
    }

    /**
     * `next_cursor` of the page before. Leave it out for the first page.
     */
    public Builder cursor(String value) {
      put("cursor", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public DevicesListQuery build() {
      return new DevicesListQuery(fields());
    }
  }
}
