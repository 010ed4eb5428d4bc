import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Device } from "../../../services/domain/audience/Device.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { CanWait } from "../../../services/ports/operations/CanWait.ts"
import { errorBody } from "../pipeline/ApiError.ts"
import { deviceExample, deviceFilterOf, DeviceQuery, DeviceView, showDevice } from "./Devices.ts"
import { LINE_TYPES } from "../pipeline/LineImport.ts"
import { refusal } from "../pipeline/Refusals.ts"
import { again, within } from "../pipeline/WaitLimiter.ts"
import { route } from "../pipeline/Route.ts"

/** What an export ends with that is not whole. */
type Ended = Parameters<typeof refusal>[0]

/** Devices that are read in one go. */
const CHUNK = 1000

const linesOf = (devices: ReadonlyArray<Device>): Buffer => {
  let text = ""
  for (const device of devices) text += `${JSON.stringify(showDevice(device))}\n`
  return Buffer.from(text)
}

/** Devices as lines, the other way. */
export const exportRoutes = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const log = yield* AuditLog
  const filterOf = deviceFilterOf(yield* SegmentStore)

  return [
    route({
      method: "GET",
      path: "/api/v1/devices/export",
      access: "secret",
      tag: "Devices",
      summary: "Export devices",
      description:
        'All devices that meet the conditions, as newline-delimited JSON, oldest first; any number of them. Nothing is prepared: lines are read while you read, and a slow reader costs nothing. An answer that is cut off, or whose last line is an `{"error"}`, was not complete: go on with `created_from`.',
      query: DeviceQuery,
      success: {
        status: 200,
        description: "A device a line.",
        schema: DeviceView,
        example: deviceExample,
        mediaType: LINE_TYPES[0]
      },
      errors: ["validation_error"],
      handler: Effect.fnUntraced(function* ({ caller, client, query, requestId, waits }) {
        const filter = yield* filterOf(caller.appId, query)
        // Most pages are read when the request's own effect is over.
        const read = (after: string | null) =>
          Effect.provideService(devices.list(caller.appId, filter, after, CHUNK), CanWait, true)
        yield* log.record(caller.appId, {
          action: "devices.exported",
          target: null,
          details: { conditions: Object.keys(query) }
        })
        // The first page before the answer begins: a database that is away is a 503, and not a cut-off answer.
        const first = yield* read(null)
        let failed: Ended | null = null
        // A slow reader takes hours, and its key may be revoked meanwhile.
        const readOn = (after: string): Effect.Effect<Page<Device>, Ended> =>
          within(
            again(waits),
            Effect.flatMap(client.again(), () => read(after))
          )
        const rest = (from: string) =>
          Stream.paginate(from, (after) =>
            Effect.match(readOn(after), {
              onSuccess: ({ items, next }) => [[linesOf(items)], Option.fromNullOr(next)] as const,
              onFailure: (error) => {
                failed = error
                return [[Buffer.from(`${errorBody(refusal(error), requestId)}\n`)], Option.none()] as const
              }
            })
          )
        const pages = Stream.concat(
          Stream.succeed(linesOf(first.items)),
          first.next === null ? Stream.empty : rest(first.next)
        )
        // Cut off as well, for those who do not read what the last line says; a moment later, when that is on its way.
        const end = Stream.suspend(() =>
          failed === null
            ? Stream.empty
            : Stream.fromEffect(Effect.andThen(Effect.sleep("10 millis"), Effect.fail(failed)))
        )
        return HttpServerResponse.stream(Stream.concat(pages, end), {
          contentType: LINE_TYPES[0]
        })
      })
    })
  ]
})
