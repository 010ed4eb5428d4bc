// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * RehearseWorkflow, as the API has it.
 */
public final class RehearseWorkflow extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public RehearseWorkflow(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * A contact, whose way is tried.
   */
  public @Nullable String userId() {
    return text("user_id");
  }

  /**
   * Somebody made up, in the place of `user_id`.
   */
  public @Nullable RehearseWorkflowContact contact() {
    return object("contact", RehearseWorkflowContact::new);
  }

  public @Nullable Map<String, ? extends @Nullable Object> data() {
    return map("data");
  }

  /**
   * What becomes of the messages of SEND steps, by key. Left out: `sent`.
   */
  public @Nullable Map<String, ? extends @Nullable Object> outcomes() {
    return map("outcomes");
  }

  /**
   * The data of the events that WAIT_FOR steps hear, by key. Left out: none comes in time.
   */
  public @Nullable Map<String, ? extends @Nullable Object> events() {
    return map("events");
  }

  /**
   * What FETCH steps are answered, by key, each try the same. Left out: 200 without a body. Nobody is
   * asked.
   */
  public @Nullable Map<String, ? extends @Nullable Object> answers() {
    return map("answers");
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link RehearseWorkflow}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * A contact, whose way is tried.
     */
    public Builder userId(String value) {
      put("user_id", value);
      return this;
    }

    /**
     * Somebody made up, in the place of `user_id`.
     */
    public Builder contact(RehearseWorkflowContact value) {
      put("contact", value);
      return this;
    }

    public Builder data(Map<String, ? extends @Nullable Object> value) {
      put("data", value);
      return this;
    }

    /**
     * What becomes of the messages of SEND steps, by key. Left out: `sent`.
     */
    public Builder outcomes(Map<String, ? extends @Nullable Object> value) {
      put("outcomes", value);
      return this;
    }

    /**
     * The data of the events that WAIT_FOR steps hear, by key. Left out: none comes in time.
     */
    public Builder events(Map<String, ? extends @Nullable Object> value) {
      put("events", value);
      return this;
    }

    /**
     * What FETCH steps are answered, by key, each try the same. Left out: 200 without a body. Nobody is
     * asked.
     */
    public Builder answers(Map<String, ? extends @Nullable Object> value) {
      put("answers", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public RehearseWorkflow build() {
      return new RehearseWorkflow(fields());
    }
  }
}
