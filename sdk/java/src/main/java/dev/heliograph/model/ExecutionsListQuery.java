// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What executions.list can be asked for.
 */
public final class ExecutionsListQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ExecutionsListQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
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

  public @Nullable String workflowId() {
    return text("workflow_id");
  }

  /**
   * One of: running, waiting, completed, filtered, failed, cancelled.
   */
  public @Nullable String status() {
    return text("status");
  }

  public @Nullable String userId() {
    return text("user_id");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link ExecutionsListQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

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

    public Builder workflowId(String value) {
      put("workflow_id", value);
      return this;
    }

    /**
     * One of: running, waiting, completed, filtered, failed, cancelled.
     */
    public Builder status(String value) {
      put("status", value);
      return this;
    }

    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public ExecutionsListQuery build() {
      return new ExecutionsListQuery(fields());
    }
  }
}
