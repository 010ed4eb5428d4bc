/* What the logs tell of, as the service names it; a test compares both lists with the service's. */

export const APPLICATION_ACTIONS = [
  "application.created",
  "application.changed",
  "identity_secret.issued",
  "api_key.created",
  "api_key.revoked",
  "credential.set",
  "credential.removed",
  "credential.checked",
  "template.created",
  "template.changed",
  "template.deleted",
  "segment.created",
  "segment.changed",
  "segment.deleted",
  "contact.created",
  "contact.changed",
  "contact.deleted",
  "contacts.imported",
  "device.registered",
  "device.changed",
  "device.deleted",
  "devices.imported",
  "devices.exported",
  "channel.created",
  "channel.changed",
  "channel.deleted",
  "inbox_messages.posted",
  "webhook.created",
  "webhook.changed",
  "webhook.deleted",
  "webhook.disabled",
  "webhook.tested",
  "webhook.redelivered",
  "dead_letter.replayed",
  "dead_letters.replayed",
  "notification.created",
  "notification.changed",
  "notification.paused",
  "notification.resumed",
  "notification.cancelled",
  "workflow.created",
  "workflow.changed",
  "workflow.activated",
  "workflow.archived",
  "workflow.deleted",
  "workflow.triggered",
  "execution.cancelled",
  "executions.cancelled",
  "event.raised"
] as const

/** Of an organization that is there. What concerns accounts alone is in none. */
export const ORGANIZATION_ACTIONS = [
  "organization.created",
  "organization.changed",
  "application.created",
  "application.deleted",
  "invitation.sent",
  "invitation.revoked",
  "invitation.accepted",
  "member.added",
  "member.role_changed",
  "member.removed",
  "member.left",
  "ownership.transferred"
] as const

/** As `API key revoked`. */
export const actionWords = (action: string): string => {
  const words = action.replaceAll(/[._]/g, " ").replace(/^api /, "API ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}
