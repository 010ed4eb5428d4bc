import { Effect } from "effect"
import { RegisterDevice } from "../../../services/domain/audience/Device.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import { OutboundPolicy } from "../../../services/ports/outbound/OutboundPolicy.ts"
import { registerExample } from "./Devices.ts"
import { ID } from "../docs/Examples.ts"
import { ABOUT_LINES, LINE_TYPES, LineResult, makeLineImport } from "../pipeline/LineImport.ts"
import { refusalOfEndpoint } from "./PushEndpoint.ts"
import { route } from "../pipeline/Route.ts"

/** Devices as lines. */
export const importRoutes = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const log = yield* AuditLog
  const { importLimit } = yield* HttpSettings
  const importLines = makeLineImport(RegisterDevice, importLimit, refusalOfEndpoint(yield* OutboundPolicy))

  return [
    route({
      method: "POST",
      path: "/api/v1/devices/import",
      access: "secret",
      canWait: true,
      tag: "Devices",
      summary: "Register many devices",
      description: `One device a line, each as POST /public/devices takes it (what a line leaves out is forgotten), ${ABOUT_LINES}`,
      body: {
        schema: RegisterDevice,
        name: "RegisterDevice",
        example: registerExample,
        mediaTypes: LINE_TYPES,
        isStream: true
      },
      success: {
        status: 200,
        description: "A result for each line.",
        schema: LineResult,
        example: { line: 1, id: ID, created: true },
        mediaType: LINE_TYPES[0]
      },
      errors: ["payload_too_large"],
      handler: (call) => {
        const { appId } = call.caller
        const noted = log.record(appId, { action: "devices.imported", target: null })
        return importLines(call, (lines) => devices.register(appId, lines), noted)
      }
    })
  ]
})
