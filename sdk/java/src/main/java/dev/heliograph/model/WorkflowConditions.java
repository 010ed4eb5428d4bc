// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowConditions, as the API has it.
 */
public final class WorkflowConditions extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowConditions(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public @Nullable List<String> tagsAny() {
    return list("tags_any");
  }

  public @Nullable List<String> tagsAll() {
    return list("tags_all");
  }

  public @Nullable List<String> tagsNone() {
    return list("tags_none");
  }

  /**
   * One of: ios, android, web.
   */
  public @Nullable List<String> platforms() {
    return list("platforms");
  }

  public @Nullable List<String> timezones() {
    return list("timezones");
  }

  public @Nullable List<String> locales() {
    return list("locales");
  }

  public @Nullable List<AttributeCondition> attributes() {
    return list("attributes", AttributeCondition::new);
  }

  public @Nullable WorkflowConditionsLastSeen lastSeen() {
    return object("last_seen", WorkflowConditionsLastSeen::new);
  }

  public @Nullable List<WorkflowConditionsEngagement> engagement() {
    return list("engagement", WorkflowConditionsEngagement::new);
  }

  /**
   * About what the run carries, by path: `order.total` of the trigger's data, `steps.ask.body.price` of
   * what a step brought. What is missing fits `not_exists` alone.
   */
  public @Nullable List<AttributeCondition> data() {
    return list("data", AttributeCondition::new);
  }

  public @Nullable List<WorkflowConditionsSteps> steps() {
    return list("steps", WorkflowConditionsSteps::new);
  }

  /**
   * One of these has to fit, beside all others.
   */
  public @Nullable List<WorkflowConditionsAny> any() {
    return list("any", WorkflowConditionsAny::new);
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowConditions}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder tagsAny(List<String> value) {
      put("tags_any", value);
      return this;
    }

    public Builder tagsAll(List<String> value) {
      put("tags_all", value);
      return this;
    }

    public Builder tagsNone(List<String> value) {
      put("tags_none", value);
      return this;
    }

    /**
     * One of: ios, android, web.
     */
    public Builder platforms(List<String> value) {
      put("platforms", value);
      return this;
    }

    public Builder timezones(List<String> value) {
      put("timezones", value);
      return this;
    }

    public Builder locales(List<String> value) {
      put("locales", value);
      return this;
    }

    public Builder attributes(List<AttributeCondition> value) {
      put("attributes", value);
      return this;
    }

    public Builder lastSeen(WorkflowConditionsLastSeen value) {
      put("last_seen", value);
      return this;
    }

    public Builder engagement(List<WorkflowConditionsEngagement> value) {
      put("engagement", value);
      return this;
    }

    /**
     * About what the run carries, by path: `order.total` of the trigger's data, `steps.ask.body.price` of
     * what a step brought. What is missing fits `not_exists` alone.
     */
    public Builder data(List<AttributeCondition> value) {
      put("data", value);
      return this;
    }

    public Builder steps(List<WorkflowConditionsSteps> value) {
      put("steps", value);
      return this;
    }

    /**
     * One of these has to fit, beside all others.
     */
    public Builder any(List<WorkflowConditionsAny> value) {
      put("any", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowConditions build() {
      return new WorkflowConditions(fields());
    }
  }
}
