// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Notification, as the API has it.
 */
public final class Notification extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public Notification(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  /**
   * One of: scheduled, queued, sending, paused, completed, cancelled.
   */
  public String status() {
    return there("status", text("status"));
  }

  /**
   * One of: high, bulk.
   */
  public String priority() {
    return there("priority", text("priority"));
  }

  /**
   * The content's title, else its subject; null where there is none, or a template says it to each.
   */
  public @Nullable String title() {
    return text("title");
  }

  public @Nullable String templateId() {
    return text("template_id");
  }

  /**
   * The workflow that sent it; null: a request did.
   */
  public @Nullable String workflowId() {
    return text("workflow_id");
  }

  /**
   * The key of that workflow's step.
   */
  public @Nullable String workflowStep() {
    return text("workflow_step");
  }

  public Counts counts() {
    return there("counts", object("counts", Counts::new));
  }

  /**
   * When it is, or was, to be sent: a moment, or with `local_time` a day; null: at once.
   */
  public @Nullable String sendAt() {
    return text("send_at");
  }

  /**
   * The time of day on each recipient's clock.
   */
  public @Nullable String localTime() {
    return text("local_time");
  }

  public String createdAt() {
    return there("created_at", text("created_at"));
  }

  /**
   * When what it says was last changed; null: never.
   */
  public @Nullable String updatedAt() {
    return text("updated_at");
  }

  public @Nullable String startedAt() {
    return text("started_at");
  }

  public @Nullable String completedAt() {
    return text("completed_at");
  }

  public Audience to() {
    return there("to", object("to", Audience::new));
  }

  /**
   * One of: push, email, inbox.
   */
  public @Nullable List<String> channels() {
    return list("channels");
  }

  /**
   * Null where there is a `template_id`.
   */
  public @Nullable Content content() {
    return object("content", Content::new);
  }

  public @Nullable Map<String, ? extends @Nullable Object> variables() {
    return map("variables");
  }

  public @Nullable Long ttl() {
    return integer("ttl");
  }

  public @Nullable String timezone() {
    return text("timezone");
  }

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
   * Null when the application had all ids of `to` when it was accepted.
   */
  public @Nullable SkippedIds skipped() {
    return object("skipped", SkippedIds::new);
  }
}
