// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * WorkflowStep, as the API has it.
 */
public final class WorkflowStep extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public WorkflowStep(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String key() {
    return there("key", text("key"));
  }

  public @Nullable String name() {
    return text("name");
  }

  /**
   * One of: SEND, DELAY, FILTER, BRANCH, DIGEST, THROTTLE, FETCH, UPDATE_CONTACT, WAIT_FOR.
   */
  public String type() {
    return there("type", text("type"));
  }

  /**
   * Liquid, as of a template: the run's data is under `data` and `steps`.
   */
  public @Nullable Content content() {
    return object("content", Content::new);
  }

  /**
   * One of: push, email, inbox.
   */
  public @Nullable List<String> channels() {
    return list("channels");
  }

  public @Nullable String templateId() {
    return text("template_id");
  }

  public @Nullable Map<String, ? extends @Nullable Object> variables() {
    return map("variables");
  }

  /**
   * Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a
   * minute, and the provider does not keep it.
   */
  public @Nullable Long ttl() {
    return integer("ttl");
  }

  /**
   * One of: high, bulk.
   */
  public @Nullable String priority() {
    return text("priority");
  }

  /**
   * Printable ASCII without spaces. Of messages that have the same one, a device shows the one that the
   * provider took last: the newest, unless an older one had to be tried again.
   */
  public @Nullable String collapseKey() {
    return text("collapse_key");
  }

  public @Nullable Overrides overrides() {
    return object("overrides", Overrides::new);
  }

  public @Nullable Tracking track() {
    return object("track", Tracking::new);
  }

  /**
   * The run goes on when the message has ended, for a day at most, and fails where all of it failed.
   * Left out, it goes on at once.
   */
  public @Nullable Boolean waitForOutcome() {
    return flag("wait_for_outcome");
  }

  public @Nullable Long seconds() {
    return integer("seconds");
  }

  public @Nullable String until() {
    return text("until");
  }

  public @Nullable WorkflowStepWindow window() {
    return object("window", WorkflowStepWindow::new);
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

  public @Nullable WorkflowConditions conditions() {
    return object("conditions", WorkflowConditions::new);
  }

  public @Nullable List<WorkflowStepBranches> branches() {
    return list("branches", WorkflowStepBranches::new);
  }

  public @Nullable List<WorkflowStep> else_() {
    return list("else", WorkflowStep::new);
  }

  public @Nullable String by() {
    return text("by");
  }

  /**
   * Each one more begins `seconds` anew, up to ten times of it after the first.
   */
  public @Nullable Boolean sliding() {
    return flag("sliding");
  }

  public @Nullable Long atMost() {
    return integer("at_most");
  }

  public @Nullable Long perSeconds() {
    return integer("per_seconds");
  }

  /**
   * Left out: GET, and POST with a body.
   * One of: GET, POST, PUT, PATCH.
   */
  public @Nullable String method() {
    return text("method");
  }

  public @Nullable String url() {
    return text("url");
  }

  public @Nullable Map<String, ? extends @Nullable Object> headers() {
    return map("headers");
  }

  public @Nullable Map<String, ? extends @Nullable Object> body() {
    return map("body");
  }

  public @Nullable List<String> tagsAdd() {
    return list("tags_add");
  }

  public @Nullable List<String> tagsRemove() {
    return list("tags_remove");
  }

  public @Nullable Map<String, ? extends @Nullable Object> attributes() {
    return map("attributes");
  }

  public @Nullable String event() {
    return text("event");
  }

  /**
   * The event's value at the path `event` has to equal the run's at the path `run`.
   */
  public @Nullable WorkflowStepMatch match() {
    return object("match", WorkflowStepMatch::new);
  }

  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link WorkflowStep}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    public Builder key(String value) {
      put("key", value);
      return this;
    }

    public Builder name(String value) {
      put("name", value);
      return this;
    }

    /**
     * One of: SEND, DELAY, FILTER, BRANCH, DIGEST, THROTTLE, FETCH, UPDATE_CONTACT, WAIT_FOR.
     */
    public Builder type(String value) {
      put("type", value);
      return this;
    }

    /**
     * Liquid, as of a template: the run's data is under `data` and `steps`.
     */
    public Builder content(Content value) {
      put("content", value);
      return this;
    }

    /**
     * One of: push, email, inbox.
     */
    public Builder channels(List<String> value) {
      put("channels", value);
      return this;
    }

    public Builder templateId(String value) {
      put("template_id", value);
      return this;
    }

    public Builder variables(Map<String, ? extends @Nullable Object> value) {
      put("variables", value);
      return this;
    }

    /**
     * Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a
     * minute, and the provider does not keep it.
     */
    public Builder ttl(long value) {
      put("ttl", value);
      return this;
    }

    /**
     * One of: high, bulk.
     */
    public Builder priority(String value) {
      put("priority", value);
      return this;
    }

    /**
     * Printable ASCII without spaces. Of messages that have the same one, a device shows the one that the
     * provider took last: the newest, unless an older one had to be tried again.
     */
    public Builder collapseKey(String value) {
      put("collapse_key", value);
      return this;
    }

    public Builder overrides(Overrides value) {
      put("overrides", value);
      return this;
    }

    public Builder track(Tracking value) {
      put("track", value);
      return this;
    }

    /**
     * The run goes on when the message has ended, for a day at most, and fails where all of it failed.
     * Left out, it goes on at once.
     */
    public Builder waitForOutcome(boolean value) {
      put("wait_for_outcome", value);
      return this;
    }

    public Builder seconds(long value) {
      put("seconds", value);
      return this;
    }

    public Builder until(String value) {
      put("until", value);
      return this;
    }

    public Builder window(WorkflowStepWindow value) {
      put("window", value);
      return this;
    }

    public Builder timezone(String value) {
      put("timezone", value);
      return this;
    }

    public Builder conditions(WorkflowConditions value) {
      put("conditions", value);
      return this;
    }

    public Builder branches(List<WorkflowStepBranches> value) {
      put("branches", value);
      return this;
    }

    public Builder else_(List<WorkflowStep> value) {
      put("else", value);
      return this;
    }

    public Builder by(String value) {
      put("by", value);
      return this;
    }

    /**
     * Each one more begins `seconds` anew, up to ten times of it after the first.
     */
    public Builder sliding(boolean value) {
      put("sliding", value);
      return this;
    }

    public Builder atMost(long value) {
      put("at_most", value);
      return this;
    }

    public Builder perSeconds(long value) {
      put("per_seconds", value);
      return this;
    }

    /**
     * Left out: GET, and POST with a body.
     * One of: GET, POST, PUT, PATCH.
     */
    public Builder method(String value) {
      put("method", value);
      return this;
    }

    public Builder url(String value) {
      put("url", value);
      return this;
    }

    public Builder headers(Map<String, ? extends @Nullable Object> value) {
      put("headers", value);
      return this;
    }

    public Builder body(Map<String, ? extends @Nullable Object> value) {
      put("body", value);
      return this;
    }

    public Builder tagsAdd(List<String> value) {
      put("tags_add", value);
      return this;
    }

    public Builder tagsRemove(List<String> value) {
      put("tags_remove", value);
      return this;
    }

    public Builder attributes(Map<String, ? extends @Nullable Object> value) {
      put("attributes", value);
      return this;
    }

    public Builder event(String value) {
      put("event", value);
      return this;
    }

    /**
     * The event's value at the path `event` has to equal the run's at the path `run`.
     */
    public Builder match(WorkflowStepMatch value) {
      put("match", value);
      return this;
    }

    /** Fails with an IllegalArgumentException where something is missing. */
    public WorkflowStep build() {
      return new WorkflowStep(fields("key", "type"));
    }
  }
}
