// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Audience, as the API has it.
 */
public final class Audience extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Audience(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable Boolean all() {
    return flag("all");
  }

  public @Nullable List<String> deviceIds() {
    return list("device_ids");
  }

  public @Nullable List<String> userIds() {
    return list("user_ids");
  }

  public @Nullable List<String> channelIds() {
    return list("channel_ids");
  }

  public @Nullable List<String> emails() {
    return list("emails");
  }

  public @Nullable List<String> tagsAny() {
    return list("tags_any");
  }

  public @Nullable List<String> tagsAll() {
    return list("tags_all");
  }

  /**
   * One of: ios, android, web.
   */
  public @Nullable List<String> platforms() {
    return list("platforms");
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  public @Nullable String locale() {
    return text("locale");
  }

  public @Nullable List<AttributeCondition> attributes() {
    return list("attributes", AttributeCondition::new);
  }

  public @Nullable String segmentId() {
    return text("segment_id");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link Audience}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder all(boolean value) {
      put("all", value);
      return this;
    }

    public Builder deviceIds(List<String> value) {
      put("device_ids", value);
      return this;
    }

    public Builder userIds(List<String> value) {
      put("user_ids", value);
      return this;
    }

    public Builder channelIds(List<String> value) {
      put("channel_ids", value);
      return this;
    }

    public Builder emails(List<String> value) {
      put("emails", value);
      return this;
    }

    public Builder tagsAny(List<String> value) {
      put("tags_any", value);
      return this;
    }

    public Builder tagsAll(List<String> value) {
      put("tags_all", value);
      return this;
    }

    /**
     * One of: ios, android, web.
     */
    public Builder platforms(List<String> value) {
      put("platforms", value);
      return this;
    }

    public Builder timezone(String value) {
      put("timezone", value);
      return this;
    }

    public Builder locale(String value) {
      put("locale", value);
      return this;
    }

    public Builder attributes(List<AttributeCondition> value) {
      put("attributes", value);
      return this;
    }

    public Builder segmentId(String value) {
      put("segment_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public Audience build() {
      return new Audience(fields());
    }
  }
}
