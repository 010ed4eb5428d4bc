// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TriggerWorkflowTo, as the API has it.
 */
public final class TriggerWorkflowTo extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public TriggerWorkflowTo(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable Boolean all() {
    return flag("all");
  }

  public @Nullable List<String> userIds() {
    return list("user_ids");
  }

  public @Nullable List<String> tagsAny() {
    return list("tags_any");
  }

  public @Nullable List<String> tagsAll() {
    return list("tags_all");
  }

  public @Nullable String segmentId() {
    return text("segment_id");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link TriggerWorkflowTo}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder all(boolean value) {
      put("all", value);
      return this;
    }

    public Builder userIds(List<String> value) {
      put("user_ids", value);
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

    public Builder segmentId(String value) {
      put("segment_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public TriggerWorkflowTo build() {
      return new TriggerWorkflowTo(fields());
    }
  }
}
