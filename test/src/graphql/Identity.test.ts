import type { GraphQLObjectType } from "graphql"
import { getNamedType, isObjectType } from "graphql"
import { describe, expect, it } from "vitest"
import { bareSchema } from "../../../src/graphql/Schema.ts"

/*
 * Caches of clients keep what they read by its id: Apollo together with the type, Relay by the id alone. So an `id` has to
 * be that of one thing, wherever it is shown.
 */

/** Types with an `id`, by the thing whose id it is. Those of one line show the same thing in several ways. */
const THINGS: ReadonlyArray<ReadonlyArray<string>> = [
  ["Account"],
  ["ActiveSession"],
  ["ApiKey", "CreatedApiKey"],
  ["Application"],
  ["AuditEntry"],
  ["Channel", "Created"],
  ["Contact", "Created"],
  ["DeadLetter", "DeadLetterWithContent", "ReplayedDeadLetter"],
  ["Delivery"],
  ["Device"],
  ["Execution", "ExecutionSummary"],
  ["ExternalSignIn"],
  ["Hook"],
  ["Invitation"],
  ["Notification", "NotificationSummary", "AcceptedNotification"],
  ["Organization"],
  ["OrganizationLogEntry"],
  ["RaisedEvent"],
  ["Redelivery"],
  ["Replay"],
  ["Segment"],
  ["Template"],
  ["TemplateVersion", "TemplateVersionSummary"],
  ["Workflow", "SavedWorkflow"],
  ["WorkflowVersion", "WorkflowVersionSummary"]
]

const types = Object.values(bareSchema().getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith("__")
)

describe("the id of an object", () => {
  it("is its own: what only speaks of it calls its id by another name", () => {
    const withId = types.filter((type) => "id" in type.getFields())
    expect(withId.map(({ name }) => name).toSorted()).toEqual([...new Set(THINGS.flat())].toSorted())
    // Of what has none, nothing is kept by an id.
    for (const type of withId) expect(String(type.getFields()["id"]!.type), type.name).toBe("ID!")
  })

  it("is that of one thing, of which all types that show it say the same", () => {
    for (const thing of THINGS) {
      const known = new Map<string, string>()
      for (const name of thing) {
        for (const field of Object.values(types.find((type) => type.name === name)!.getFields())) {
          const type = getNamedType(field.type).name
          expect([field.name, type]).toEqual([field.name, known.get(field.name) ?? type])
          known.set(field.name, type)
        }
      }
    }
  })
})
