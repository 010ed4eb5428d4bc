import { describe, expect, it } from "vitest"
import type { Role } from "../../../../services/domain/people/Role.ts"
import { mayDo, mayMake, OPERATIONS, ROLES } from "../../../../services/domain/people/Role.ts"
import type { Operation } from "../../../../services/domain/people/Role.ts"

/** Spec 5.4, written out by hand: what each role may do. */
const VIEWER: ReadonlyArray<Operation> = ["read", "leaveOrganization"]
const MEMBER: ReadonlyArray<Operation> = [
  ...VIEWER,
  "sendNotifications",
  "controlNotifications",
  "replayDeadLetters",
  "changeDevices",
  "changeContacts",
  "changeChannels",
  "changeSegments",
  "changeTemplates",
  "changeWorkflows",
  "changeInbox",
  "reportEngagement"
]
const ADMIN: ReadonlyArray<Operation> = [
  ...MEMBER,
  "createApplication",
  "changeApplication",
  "changeApiKeys",
  "changeCredentials",
  "changeWebhooks"
]
const OWNER: ReadonlyArray<Operation> = [
  ...ADMIN,
  "changeOrganization",
  "changeMembers",
  "changeBilling",
  "deleteApplication",
  "deleteOrganization"
]

describe("what a role may do", () => {
  it.each([
    ["viewer", VIEWER],
    ["member", MEMBER],
    ["admin", ADMIN],
    ["owner", OWNER]
  ] as const)("is all of this, and nothing else: %s", (role, allowed) => {
    const operations = Object.keys(OPERATIONS) as ReadonlyArray<Operation>
    expect(operations.filter((operation) => mayDo(role, operation)).toSorted()).toEqual(allowed.toSorted())
  })

  it("changes nothing for a viewer, who may leave", () => {
    const operations = Object.keys(OPERATIONS) as ReadonlyArray<Operation>
    expect(operations.filter((operation) => mayDo("viewer", operation))).toEqual(["read", "leaveOrganization"])
  })
})

describe("who makes whom what", () => {
  const all: ReadonlyArray<Role | null> = [null, ...ROLES]

  it("is for owners alone, whoever it is about", () => {
    for (const from of all) {
      for (const to of all) {
        expect(ROLES.filter((role) => mayMake(role, from, to))).toEqual(["owner"])
      }
    }
  })
})
