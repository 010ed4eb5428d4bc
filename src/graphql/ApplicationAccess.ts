import { Effect, Option } from "effect"
import type { AppId } from "../../services/domain/Ids.ts"
import type { Person } from "../../services/domain/people/Account.ts"
import type { Operation } from "../../services/domain/people/Role.ts"
import type { Caller } from "../../services/engine/access/Auth.ts"
import type { Permissions } from "../../services/engine/people/Permissions.ts"
import type { ObjectKind, OwnershipStore } from "../../services/ports/people/OwnershipStore.ts"
import { ApiError, notFound } from "../http/pipeline/ApiError.ts"
import { inWords } from "./PeopleRefusals.ts"

/*
 * Which application a field works on, and whether who asks may have it do that. A key has one application; people are
 * members of several organizations, and the table of services/domain/people/Role.ts says what their role may do there.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What is asked for by the id in a path, by the path's beginning: the longest that fits. */
const KINDS: Readonly<Record<string, ObjectKind>> = {
  "/api/v1/devices/:id": "device",
  "/api/v1/contacts/:id": "contact",
  "/api/v1/channels/:id": "channel",
  "/api/v1/segments/:id": "segment",
  "/api/v1/templates/versions/:id": "templateVersion",
  "/api/v1/templates/:id": "template",
  "/api/v1/notifications/:id": "notification",
  "/api/v1/webhooks/redeliveries/:id": "redelivery",
  "/api/v1/webhooks/:id": "webhook",
  "/api/v1/dead-letters/replays/:id": "replay",
  "/api/v1/dead-letters/:id": "deadLetter",
  "/api/v1/api-keys/:id": "apiKey",
  "/api/v1/workflows/:id": "workflow",
  "/api/v1/executions/:id": "execution"
}

export const kindOf = (path: string): ObjectKind | null => {
  const [, kind = null] = Object.entries(KINDS).find(([begin]) => path === begin || path.startsWith(`${begin}/`)) ?? []
  return kind
}

const WORDS: Partial<Readonly<Record<ObjectKind, string>>> = {
  templateVersion: "template version",
  deadLetter: "dead letter",
  apiKey: "API key"
}
const wordsOf = (kind: ObjectKind): string => WORDS[kind] ?? kind

/** What a route that changes something is in the table of roles, by its path's beginning. */
const OPERATIONS: ReadonlyArray<readonly [begin: string, operation: Operation]> = [
  ["/api/v1/notifications/:id", "controlNotifications"],
  ["/api/v1/notifications", "sendNotifications"],
  ["/api/v1/dead-letters", "replayDeadLetters"],
  ["/api/v1/devices", "changeDevices"],
  ["/api/v1/contacts", "changeContacts"],
  ["/api/v1/channels", "changeChannels"],
  ["/api/v1/segments", "changeSegments"],
  ["/api/v1/templates", "changeTemplates"],
  ["/api/v1/workflows", "changeWorkflows"],
  ["/api/v1/executions", "changeWorkflows"],
  ["/api/v1/events/custom", "changeWorkflows"],
  ["/api/v1/inbox", "changeInbox"],
  ["/api/v1/webhooks", "changeWebhooks"],
  ["/api/v1/credentials", "changeCredentials"],
  ["/api/v1/api-keys", "changeApiKeys"],
  ["/api/v1/application", "changeApplication"]
]

/** What a field that a route answers is, in the table of roles. Throws for a change that the table does not know. */
export const operationFor = (isChange: boolean, path: string): Operation => {
  if (!isChange) return "read"
  const found = OPERATIONS.find(([begin]) => path === begin || path.startsWith(`${begin}/`))
  if (found === undefined) throw new Error(`The table of roles has nothing for ${path}`)
  return found[1]
}

export interface Asked {
  /** The application that is named; undefined where only a thing of one is. */
  readonly appId: string | undefined
  /** The thing that is named, by its kind and id. */
  readonly thing: { readonly kind: ObjectKind; readonly id: string } | null
  readonly operation: Operation
}

export interface ApplicationAccess {
  /** Answers as whom a route's handler is called; fails as if there were no such application, or no such thing. */
  readonly callerFor: (
    visitor: { readonly caller: Caller | null; readonly person: Person | null },
    asked: Asked
  ) => Effect.Effect<Caller, unknown>
}

const noApplication = () => new ApiError("not_found", "There is no application with this id, or it is none of yours.")

/** Where none is named: nothing is there for a person. */
const NO_APPLICATION = "00000000-0000-0000-0000-000000000000" as AppId

export const makeApplicationAccess = (
  permissions: Permissions["Service"],
  ownership: OwnershipStore["Service"]
): ApplicationAccess => {
  const ofPerson = Effect.fnUntraced(function* (person: Person, { appId, operation, thing }: Asked) {
    if (appId !== undefined) {
      if (!UUID.test(appId)) return yield* Effect.fail(noApplication())
      const id = appId.toLowerCase() as AppId
      yield* permissions
        .onApplication(person, id, operation)
        .pipe(Effect.mapError((error) => (error._tag === "NotThere" ? noApplication() : inWords(error))))
      return id
    }
    if (thing === null) return NO_APPLICATION
    // Whatever else is wrong with a request: who may not know of a thing is told of nothing else.
    const found = UUID.test(thing.id)
      ? yield* ownership.applicationOf([...person.roles.keys()], thing.kind, thing.id)
      : Option.none()
    if (Option.isNone(found)) return yield* Effect.fail(notFound(wordsOf(thing.kind)))
    yield* Effect.mapError(permissions.onApplication(person, found.value, operation), inWords)
    return found.value
  })
  return {
    callerFor: ({ caller, person }, asked) => {
      if (person !== null) {
        return Effect.map(ofPerson(person, asked), (appId): Caller => ({ keyId: null, appId, kind: "secret" }))
      }
      if (caller === null) return Effect.fail(new ApiError("unauthorized", "Sign in, or send a secret key."))
      return asked.appId === undefined || asked.appId.toLowerCase() === caller.appId
        ? Effect.succeed(caller)
        : Effect.fail(noApplication())
    }
  }
}
