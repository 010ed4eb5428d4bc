import apn from "@parse/node-apn"
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { serveOrders } from "../Child.ts"
import { CONTENT } from "./Content.ts"

/*
 * A mailing by @parse/node-apn: tokens from memory, nothing kept, nothing counted but answers. Arguments: port,
 * authority's certificate file. `perCall` 1 gives each message its device's id, as the engine does; with 1,000 all have
 * the same body, which the package then serialises once.
 */

export interface SendOrder {
  readonly count: number
  readonly perCall: number
}
export interface SendAnswer {
  readonly seconds: number
}

const CALLS_AT_ONCE = 1000

const [port, caFile] = process.argv.slice(2) as [string, string]
export const providerOf = (at: { readonly port: number; readonly caFile: string }) =>
  new apn.Provider({
    token: {
      key: generateKeyPairSync("ec", { namedCurve: "P-256" })
        .privateKey.export({ type: "pkcs8", format: "pem" })
        .toString(),
      keyId: "ABC123DEFG",
      teamId: "DEF123GHIJ"
    },
    address: "localhost",
    port: at.port,
    ca: [readFileSync(at.caFile, "utf8")],
    production: false
  })

export const notificationOf = (notificationId: string, deviceId: string, content = CONTENT): apn.Notification => {
  const note = new apn.Notification()
  note.topic = "com.example.app"
  note.pushType = "alert"
  note.priority = 5
  note.expiry = Math.floor(Date.now() / 1000) + 259_200
  note.alert = { title: content.title, body: content.body }
  note.payload = { service_notification_id: notificationId, service_device_id: deviceId }
  return note
}

if (import.meta.main) {
  const provider = providerOf({ port: Number(port), caFile })
  const known: Array<{ readonly token: string; readonly id: string }> = []
  serveOrders<SendOrder, SendAnswer>(async ({ count, perCall }) => {
    while (known.length < count) known.push({ token: randomBytes(32).toString("hex"), id: randomUUID() })
    const notificationId = randomUUID()
    const begun = performance.now()
    let next = 0
    const worker = async () => {
      while (next < count) {
        const from = next
        next = Math.min(count, next + perCall)
        const note = notificationOf(notificationId, known[from]!.id)
        const tokens = perCall === 1 ? known[from]!.token : known.slice(from, next).map(({ token }) => token)
        const { failed } = await provider.send(note, tokens)
        if (failed.length > 0) throw new Error(`node-apn failed: ${JSON.stringify(failed[0])}`)
      }
    }
    await Promise.all(Array.from({ length: Math.max(1, CALLS_AT_ONCE / perCall) }, worker))
    return { seconds: (performance.now() - begun) / 1000 }
  })
}
