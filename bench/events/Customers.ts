import { Effect } from "effect"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { commands } from "../../src/app.ts"
import type { Stage } from "../Child.ts"
import { lastingPort } from "../Child.ts"
import { apnsCredential } from "../mailing/Mailer.ts"
import type { Counting, Mailer } from "../mailing/Mailer.ts"
import type { ReceiversAnswer, ReceiversOrder } from "./Receivers.ts"

/** Applications of one engine with their devices and webhooks: an application may have 20 of these, so 100 take several. */
export interface Customer {
  readonly devices: ReadonlyArray<string>
  readonly call: <A>(method: string, path: string, body?: unknown) => Promise<A>
}

/** Makes applications beside the running engine, each with an APNs credential that leads to the sink, and devices. */
export const makeCustomers = async (
  { engine }: Mailer,
  sink: Counting,
  count: number,
  devices: number
): Promise<ReadonlyArray<Customer>> => {
  const secrets = await Effect.runPromise(
    Effect.forEach(Array.from({ length: count }), (_, n) => createApplication(`Customer ${n}`)).pipe(
      Effect.provide(commands({ DATA_DIR: engine.dataDir, LOG_LEVEL: "error" }))
    )
  )
  return Promise.all(
    secrets.map(async ({ secretKey }): Promise<Customer> => {
      const call: Customer["call"] = async <A>(method: string, path: string, body?: unknown) => {
        const response = await fetch(engine.url + path, {
          method,
          headers: { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
        return (await response.json()) as A
      }
      await call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
      const ids: Array<string> = []
      for (let n = 0; n < devices; n++) {
        const token = n.toString(16).padStart(64, "c")
        ids.push((await call<{ id: string }>("POST", "/api/v1/public/devices", { token, platform: "ios" })).id)
      }
      return { devices: ids, call }
    })
  )
}

export const receiversOn = async (stage: Stage) => {
  const port = await lastingPort()
  const url = new URL("Receivers.ts", import.meta.url)
  const servant = await stage.servant<ReceiversOrder, ReceiversAnswer>(url, [String(port)])
  return { ...servant, port }
}
export type Receivers = Awaited<ReturnType<typeof receiversOn>>
