// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What auditLog.list can be asked for.
 */
public final class AuditLogListQuery extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public AuditLogListQuery(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  /**
   * Made by this key, person or system's user.
   */
  public @Nullable String actorId() {
    return text("actor_id");
  }

  /**
   * Such changes.
   * One of: application.created, application.changed, identity_secret.issued, api_key.created,
   * api_key.revoked, credential.set, credential.removed, credential.checked, template.created,
   * template.changed, template.deleted, segment.created, segment.changed, segment.deleted,
   * contact.created, contact.changed, contact.deleted, contacts.imported, device.registered,
   * device.changed, device.deleted, devices.imported, devices.exported, channel.created,
   * channel.changed, channel.deleted, inbox_messages.posted, webhook.created, webhook.changed,
   * webhook.deleted, webhook.disabled, webhook.tested, webhook.redelivered, dead_letter.replayed,
   * dead_letters.replayed, notification.created, notification.changed, notification.paused,
   * notification.resumed, notification.cancelled, workflow.created, workflow.changed,
   * workflow.activated, workflow.archived, workflow.deleted, workflow.triggered, execution.cancelled,
   * executions.cancelled, event.raised.
   */
  public @Nullable String action() {
    return text("action");
  }

  /**
   * Of this: an id, or a credential's kind.
   */
  public @Nullable String target() {
    return text("target");
  }

  public @Nullable String from() {
    return text("from");
  }

  public @Nullable String to() {
    return text("to");
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

  /** Makes {@link AuditLogListQuery}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

    /**
     * Made by this key, person or system's user.
     */
    public Builder actorId(String value) {
      put("actor_id", value);
      return this;
    }

    /**
     * Such changes.
     * One of: application.created, application.changed, identity_secret.issued, api_key.created,
     * api_key.revoked, credential.set, credential.removed, credential.checked, template.created,
     * template.changed, template.deleted, segment.created, segment.changed, segment.deleted,
     * contact.created, contact.changed, contact.deleted, contacts.imported, device.registered,
     * device.changed, device.deleted, devices.imported, devices.exported, channel.created,
     * channel.changed, channel.deleted, inbox_messages.posted, webhook.created, webhook.changed,
     * webhook.deleted, webhook.disabled, webhook.tested, webhook.redelivered, dead_letter.replayed,
     * dead_letters.replayed, notification.created, notification.changed, notification.paused,
     * notification.resumed, notification.cancelled, workflow.created, workflow.changed,
     * workflow.activated, workflow.archived, workflow.deleted, workflow.triggered, execution.cancelled,
     * executions.cancelled, event.raised.
     */
    public Builder action(String value) {
      put("action", value);
      return this;
    }

    /**
     * Of this: an id, or a credential's kind.
     */
    public Builder target(String value) {
      put("target", value);
      return this;
    }

    public Builder from(String value) {
      put("from", value);
      return this;
    }

    public Builder to(String value) {
      put("to", value);
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
    public AuditLogListQuery build() {
      return new AuditLogListQuery(fields());
    }
  }
}
