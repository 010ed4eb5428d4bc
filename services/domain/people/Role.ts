import { Schema } from "effect"

/** What a person may be in an organization (spec 5.4), from the least to the most. */
export const ROLES = ["viewer", "member", "admin", "owner"] as const
export const Role = Schema.Literals(ROLES)
export type Role = typeof Role.Type

const rankOf = (role: Role): number => ROLES.indexOf(role)

/** Whether `role` is `other` or above it. */
export const isAtLeast = (role: Role, other: Role): boolean => rankOf(role) >= rankOf(other)

/**
 * Everything that is done in an organization and its applications, with the least role that may do it: the one table for
 * REST, GraphQL and the dashboard. What only shows something is a `read`, whatever it shows: secrets are shown to nobody.
 */
export const OPERATIONS = {
  read: "viewer",
  leaveOrganization: "viewer",

  // Daily work.
  sendNotifications: "member",
  controlNotifications: "member",
  replayDeadLetters: "member",
  changeDevices: "member",
  changeContacts: "member",
  changeChannels: "member",
  changeSegments: "member",
  changeTemplates: "member",
  changeWorkflows: "member",
  changeInbox: "member",
  reportEngagement: "member",

  // What opens an application to others, and leads out of it.
  createApplication: "admin",
  changeApplication: "admin",
  changeApiKeys: "admin",
  changeCredentials: "admin",
  changeWebhooks: "admin",

  changeOrganization: "owner",
  changeMembers: "owner",
  changeBilling: "owner",
  deleteApplication: "owner",
  deleteOrganization: "owner"
} as const satisfies Record<string, Role>
export type Operation = keyof typeof OPERATIONS

export const mayDo = (role: Role, operation: Operation): boolean => isAtLeast(role, OPERATIONS[operation])

/**
 * Whether somebody may make a member of `from` (null: of somebody who is none yet) one of `to` (null: none any more).
 * Nobody grants, or touches, a role above their own.
 */
export const mayMake = (actor: Role, from: Role | null, to: Role | null): boolean =>
  mayDo(actor, "changeMembers") && [from, to].every((role) => role === null || isAtLeast(actor, role))
