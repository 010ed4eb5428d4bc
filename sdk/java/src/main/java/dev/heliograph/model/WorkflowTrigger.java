// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowTrigger, as the API has it.
 */
public final class WorkflowTrigger extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowTrigger(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * One of: api, event, tag_added, segment_entered, schedule.
   */
  public String type() {
    return there("type", text("type"));
  }

  public @Nullable String event() {
    return text("event");
  }

  public @Nullable String tag() {
    return text("tag");
  }

  public @Nullable String segmentId() {
    return text("segment_id");
  }

  public @Nullable String cron() {
    return text("cron");
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  public @Nullable WorkflowTriggerTo to() {
    return object("to", WorkflowTriggerTo::new);
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowTrigger}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * One of: api, event, tag_added, segment_entered, schedule.
     */
    public Builder type(String value) {
      put("type", value);
      return this;
    }

    public Builder event(String value) {
      put("event", value);
      return this;
    }

    public Builder tag(String value) {
      put("tag", value);
      return this;
    }

    public Builder segmentId(String value) {
      put("segment_id", value);
      return this;
    }

    public Builder cron(String value) {
      put("cron", value);
      return this;
    }

    public Builder timezone(String value) {
      put("timezone", value);
      return this;
    }

    public Builder to(WorkflowTriggerTo value) {
      put("to", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowTrigger build() {
      return new WorkflowTrigger(fields("type"));
    }
  }
}
