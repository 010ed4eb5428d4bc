import { Effect, Result, Schema } from "effect"
import { UpsertContact } from "../../services/domain/audience/Contact.ts"
import { RegisterDevice } from "../../services/domain/audience/Device.ts"
import type { AuditEntryId } from "../../services/domain/Ids.ts"
import type { Operation } from "../../services/domain/people/Role.ts"
import { FileName } from "../../services/domain/Text.ts"
import type { AuditLog } from "../../services/ports/access/AuditLog.ts"
import { CurrentOperation } from "../../services/ports/access/CurrentOperation.ts"
import { CanWait } from "../../services/ports/operations/CanWait.ts"
import { CurrentImport } from "../../services/ports/access/CurrentImport.ts"
import type { ContactStore } from "../../services/ports/audience/ContactStore.ts"
import type { DeviceStore } from "../../services/ports/audience/DeviceStore.ts"
import type { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import { refusalOfEndpoint } from "../http/endpoints/PushEndpoint.ts"
import type { ApiError } from "../http/pipeline/ApiError.ts"
import { invalid, notFound } from "../http/pipeline/ApiError.ts"
import { refusalOfJson } from "../http/pipeline/Body.ts"
import { readInTurns } from "../http/pipeline/ReadingTurns.ts"
import { decoder } from "../http/pipeline/Validation.ts"
import { within } from "../http/pipeline/WaitLimiter.ts"
import type { GraphqlContext } from "./Context.ts"
import type { MutationResolvers, Resolvers } from "./generated/resolvers.ts"
import { topFromRest, topToRest } from "./Names.ts"
import { placeOf } from "./Nulls.ts"
import type { WriteResultParent } from "./Parents.ts"
import type { PeopleFields } from "./PeopleFields.ts"
import { UUID } from "./PeopleWork.ts"

/* What answers the fields that no route of the REST API does. */

/** What one field writes, at most. More is imported over REST: POST /api/v1/devices/import, POST /api/v1/contacts/import. */
const DEVICES = 100
const CONTACTS = 500

export interface ResolverServices {
  readonly contacts: ContactStore["Service"]
  readonly devices: DeviceStore["Service"]
  readonly log: AuditLog["Service"]
  readonly outbound: OutboundPolicy["Service"]
}

const decodeDevice = decoder(RegisterDevice)
const decodeContact = decoder(UpsertContact)
const [deviceAt, contactAt] = [placeOf(RegisterDevice), placeOf(UpsertContact)]
const decodeFile = decoder(Schema.Struct({ file: FileName }))

/** Lets in whoever may make a change of the application. */
const callerOf = (appId: string, operation: Operation, context: GraphqlContext) =>
  within(context.waits(), context.applications.callerFor(context, { appId, thing: null, operation }))

/** Runs a field without a route, unless its arguments hold what no JSON of a body may. */
const answered = <A>(context: GraphqlContext, args: object, work: Effect.Effect<A, unknown>) => {
  // A row is what a line is to REST.
  const wrong = refusalOfJson(args, true, 2)
  return context.run(wrong === null ? work : Effect.fail(wrong))
}

/** Writes rows, and says what became of each, in the order of the list: one that is refused stops nothing. */
const writeRows = Effect.fnUntraced(function* <A>(
  owner: string,
  rows: ReadonlyArray<object>,
  read: (row: object) => Result.Result<A, ApiError>,
  store: (
    rows: ReadonlyArray<A>
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly created: boolean }>, StoreError>,
  importId: string | null | undefined,
  operation: Operation,
  context: GraphqlContext
) {
  if (importId != null && !UUID.test(importId)) return yield* Effect.fail(notFound("import"))
  const lines = yield* readInTurns(owner, rows, read)
  const good = lines.filter(Result.isSuccess).map(({ success }) => success)
  const stored =
    good.length === 0
      ? []
      : yield* within(context.waits(), store(good)).pipe(
          Effect.provideService(CurrentImport, (importId?.toLowerCase() ?? null) as AuditEntryId | null),
          Effect.provideService(CurrentOperation, operation),
          Effect.provideService(CanWait, true)
        )
  let at = 0
  return lines.map((line, index): WriteResultParent => {
    if (Result.isSuccess(line)) return { index, ...stored[at++]! }
    const { code, details, message } = line.failure
    return { index, error: { code, message, details } }
  })
})

const ofLength = (rows: ReadonlyArray<object>, field: string, most: number): Effect.Effect<void, ApiError> =>
  rows.length === 0 || rows.length > most
    ? Effect.fail(invalid([{ field, message: `must be a list of 1 to ${most}` }]))
    : Effect.void

const registerDevices = ({
  devices,
  outbound
}: ResolverServices): NonNullable<MutationResolvers["registerDevices"]> => {
  const refusalOf = refusalOfEndpoint(outbound)
  const read = (given: object) =>
    Result.flatMap(decodeDevice(topToRest(given, deviceAt)), (device) => {
      const refusal = refusalOf(device)
      return refusal === null ? Result.succeed(device) : Result.fail(refusal)
    })
  return (_, args, context) =>
    answered(
      context,
      args,
      Effect.gen(function* () {
        const { appId } = yield* callerOf(args.appId, "changeDevices", context)
        yield* ofLength(args.devices, "devices", DEVICES)
        return yield* writeRows(
          appId,
          args.devices,
          read,
          (rows) => devices.register(appId, rows),
          args.importId,
          "changeDevices",
          context
        )
      })
    )
}

const importContacts =
  ({ contacts }: ResolverServices): NonNullable<MutationResolvers["importContacts"]> =>
  (_, args, context) =>
    answered(
      context,
      args,
      Effect.gen(function* () {
        const { appId } = yield* callerOf(args.appId, "changeContacts", context)
        yield* ofLength(args.contacts, "contacts", CONTACTS)
        return yield* writeRows(
          appId,
          args.contacts,
          (given) => decodeContact(topToRest(given, contactAt)),
          (rows) => contacts.upsert(appId, rows),
          args.importId,
          "changeContacts",
          context
        )
      })
    )

const beginImport =
  ({ log }: ResolverServices): NonNullable<MutationResolvers["beginImport"]> =>
  (_, args, context) =>
    answered(
      context,
      args,
      Effect.gen(function* () {
        const isOfContacts = args.kind === "contacts"
        const { appId } = yield* callerOf(args.appId, isOfContacts ? "changeContacts" : "changeDevices", context)
        const { file } = yield* Effect.fromResult(decodeFile({ file: args.file }))
        const action = isOfContacts ? "contacts.imported" : "devices.imported"
        return yield* within(context.waits(), log.record(appId, { action, target: null, details: { file } }))
      })
    )

/** Fields without a route: what belongs to the objects of a page, and what REST says by lines. */
export const makeResolvers = (services: ResolverServices, people: PeopleFields): Resolvers => ({
  Query: people.Query,
  Mutation: {
    beginImport: beginImport(services),
    importContacts: importContacts(services),
    registerDevices: registerDevices(services),
    ...people.Mutation
  },
  Account: people.Account,
  Contact: {
    devices: (contact, { first }, { lookups }) => lookups(contact).devices(contact.external_id, first),
    channels: (contact, { first }, { lookups }) => lookups(contact).channels(contact.id, first)
  },
  Device: {
    contact: (device, _, { lookups }) => (device.user_id === null ? null : lookups(device).contactOf(device.user_id))
  },
  Channel: {
    contact: (channel, _, { lookups }) =>
      channel.contact_id === null ? null : lookups(channel).contact(channel.contact_id)
  },
  DeadLetter: {
    notification: (letter, _, { lookups }) =>
      letter.notification_id === null ? null : lookups(letter).notification(letter.notification_id)
  },
  WriteResult: {
    objectId: ({ id }) => id ?? null,
    created: ({ created }) => created ?? null,
    error: ({ error }) => error ?? null
  },
  WriteError: {
    message: ({ details: [first], message }) =>
      first === undefined ? message : message.replace(`: ${first.field} `, `: ${topFromRest(first.field)} `)
  },
  WriteErrorDetail: { field: ({ field }) => topFromRest(field) }
})
