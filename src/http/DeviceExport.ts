import { Effect, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Device } from "../../services/domain/Device.ts"
import { DeviceStore } from "../../services/ports/DeviceStore.ts"
import { deviceExample, deviceFilterOf, deviceQuery, DeviceView, showDevice } from "./Devices.ts"
import { LINE_TYPES } from "./LineImport.ts"
import { route } from "./Route.ts"

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

  return [
    route({
      method: "GET",
      path: "/api/v1/devices/export",
      access: "secret",
      tag: "Devices",
      summary: "Export devices",
      description:
        "All devices that meet the conditions, as newline-delimited JSON, oldest first; any number of them. Nothing is prepared: lines are read while you read, and a slow reader costs nothing. An answer that is cut off was not complete: go on with `created_from`.",
      query: Schema.Struct(deviceQuery),
      success: {
        status: 200,
        description: "A device a line.",
        schema: DeviceView,
        example: deviceExample,
        mediaType: LINE_TYPES[0]
      },
      handler: Effect.fnUntraced(function* ({ caller, query }) {
        const filter = deviceFilterOf(query)
        const read = (after: string | null) => devices.list(caller.appId, filter, after, CHUNK)
        // The first page before the answer begins: a database that is away is a 503, and not a cut-off answer.
        // The first page before the answer begins: a database that is away is a 503, and not a cut-off answer.
        const first = yield* read(null)
        const pages = Stream.paginate(first, (page) =>
          Effect.map(page.next === null ? Effect.succeedNone : Effect.asSome(read(page.next)), (next) => [
            [linesOf(page.items)],
            next
          ])
        )
        return HttpServerResponse.stream(pages, {
          contentType: LINE_TYPES[0]
        })
      })
    })
  ]
})
