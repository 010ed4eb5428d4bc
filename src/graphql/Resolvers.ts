import { Effect, Result } from "effect"
import { RegisterDevice } from "../../services/domain/audience/Device.ts"
import type { DeviceStore } from "../../services/ports/audience/DeviceStore.ts"
import type { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import { refusalOfEndpoint } from "../http/endpoints/PushEndpoint.ts"
import { invalid } from "../http/pipeline/ApiError.ts"
import { refusalOfJson } from "../http/pipeline/Body.ts"
import { decoder } from "../http/pipeline/Validation.ts"
import { within } from "../http/pipeline/WaitLimiter.ts"
import type { GraphqlContext } from "./Context.ts"
import type { MutationResolvers, Resolvers } from "./generated/resolvers.ts"
import { topFromRest, topToRest } from "./Names.ts"
import type { WriteResultParent } from "./Parents.ts"
import type { PeopleFields } from "./PeopleFields.ts"

/* What answers the fields that no route of the REST API does. */

/** Devices that one field registers, at most. More are imported: POST /api/v1/devices/import. */
const DEVICES = 100

export interface ResolverServices {
  readonly devices: DeviceStore["Service"]
  readonly outbound: OutboundPolicy["Service"]
}

const decodeDevice = decoder(RegisterDevice)

/** What became of each, in the order of the list: one that is refused stops nothing. */
const registerDevices = ({
  devices,
  outbound
}: ResolverServices): NonNullable<MutationResolvers["registerDevices"]> => {
  const refusalOf = refusalOfEndpoint(outbound)
  const read = (given: object) =>
    Result.flatMap(decodeDevice(topToRest({ ...given })), (device) => {
      const refusal = refusalOf(device)
      return refusal === null ? Result.succeed(device) : Result.fail(refusal)
    })
  const register = Effect.fnUntraced(function* (appId: string, given: ReadonlyArray<object>, context: GraphqlContext) {
    const asked = { appId, thing: null, operation: "changeDevices" } as const
    const caller = yield* within(context.waits(), context.applications.callerFor(context, asked))
    if (given.length === 0 || given.length > DEVICES) {
      return yield* Effect.fail(invalid([{ field: "devices", message: `must be a list of 1 to ${DEVICES}` }]))
    }
    const lines = given.map(read)
    const good = lines.filter(Result.isSuccess).map(({ success }) => success)
    const stored = good.length === 0 ? [] : yield* within(context.waits(), devices.register(caller.appId, good))
    let at = 0
    return lines.map((line, index): WriteResultParent => {
      if (Result.isSuccess(line)) return { index, ...stored[at++]! }
      const { code, details, message } = line.failure
      return { index, error: { code, message, details } }
    })
  })
  return (_, args, context) => {
    const wrong = refusalOfJson(args, true)
    return context.run(wrong === null ? register(args.appId, args.devices, context) : Effect.fail(wrong))
  }
}

/** Fields without a route: what belongs to the objects of a page, and what REST says by lines. */
export const makeResolvers = (services: ResolverServices, people: PeopleFields): Resolvers => ({
  Query: people.Query,
  Mutation: { registerDevices: registerDevices(services), ...people.Mutation },
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
