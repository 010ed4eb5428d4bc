// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
package dev.heliograph.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * AuditEntry, as the API has it.
 */
public final class AuditEntry extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public AuditEntry(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

  public String id() {
    return there("id", text("id"));
  }

  public String at() {
    return there("at", text("at"));
  }

  public AuditEntryActor actor() {
    return there("actor", object("actor", AuditEntryActor::new));
  }

  /**
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
  public String action() {
    return there("action", text("action"));
  }

  /**
   * The id of what was changed, or a credential's kind.
   */
  public @Nullable String target() {
    return text("target");
  }

  /**
   * What was changed, without secrets.
   */
  public Map<String, ? extends @Nullable Object> details() {
    return there("details", map("details"));
  }
}
