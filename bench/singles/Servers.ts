import { uuidFloor } from "../../services/domain/Ids.ts"
import type { Stage } from "../Child.ts"
import { pause } from "../Child.ts"
import type { CountingDatabase } from "../Database.ts"
import { countingDatabase } from "../Database.ts"
import type { Contender } from "../Harness.ts"
import { registerDevices, userOf } from "../ingress/Engine.ts"
import type { Order } from "../ingress/Load.ts"
import type { Counting, Counts } from "../mailing/Mailer.ts"
import { apnsCredential, processesOf, startMailer } from "../mailing/Mailer.ts"
import type { ServerAnswer, ServerOrder } from "./HomeMadeServer.ts"

/** What takes single messages over REST, sends them to the sink, and records them in a database of its own. */
export interface Server {
  readonly name: string
  readonly port: number
  readonly authorization: string
  /** Whom messages are addressed to. */
  readonly to: NonNullable<Order["to"]>
  readonly devices: ReadonlyArray<string>
  /** Devices that a message reaches. */
  readonly each: number
  readonly database: CountingDatabase
  readonly processes: Contender["processes"]
  /** From here on messages count for what it answers. */
  readonly begin: () => Promise<Since>
}

export interface Since {
  /** How many messages have been recorded as sent. */
  readonly recorded: () => Promise<number>
  /** Throws unless so many messages, and no more, have been accepted and sent to all devices that it is for. */
  readonly reconcile: (count: number) => Promise<void>
}

export interface Site {
  readonly stage: Stage
  readonly sink: Counting
  readonly caFile: string
  readonly devices: number
  /** How many devices a user has. */
  readonly each: number
}

const SKEW_MS = 100

const countOf = async (database: CountingDatabase, text: string, values: ReadonlyArray<unknown>): Promise<number> =>
  (await database.ask<{ readonly n: number }>(text, values))[0]!.n

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string; readonly status: string; readonly counts: Counts }>
  readonly next_cursor: string | null
}

export const engineServer = async (
  { caFile, devices, each: ofUser, sink, stage }: Site,
  name: string,
  settings: Readonly<Record<string, string>>,
  to: Server["to"] = "device_ids"
): Promise<Server> => {
  const each = to === "user_ids" ? ofUser : 1
  const database = await countingDatabase(stage)
  const mailer = await startMailer(stage, { caFile, settings: { DATA_DIR: database.dataDir, ...settings } })
  const { engine } = mailer
  await engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))

  const begin = async (): Promise<Since> => {
    // Ids go by the database's clock, as the engine knows it: on a busy machine it is some milliseconds off.
    await pause(2 * SKEW_MS)
    const at = Date.now() - SKEW_MS
    return {
      recorded: () =>
        countOf(
          database,
          "SELECT count(*)::int AS n FROM notifications WHERE id >= $1 AND status = 'completed' AND completed_at IS NOT NULL",
          [uuidFloor(at)]
        ),
      reconcile: async (count) => {
        let [seen, cursor] = [0, ""]
        do {
          const query = `limit=100&created_from=${new Date(at).toISOString()}${cursor === "" ? "" : `&cursor=${cursor}`}`
          const { data, next_cursor } = await mailer.get<Listed>(`/api/v1/notifications?${query}`)
          for (const { counts, id, status } of data) {
            if (status !== "completed" || counts.sent !== each || counts.accepted !== each) {
              throw new Error(`Message ${id} of ${name} is ${status} with ${JSON.stringify(counts)}`)
            }
          }
          seen += data.length
          cursor = next_cursor ?? ""
        } while (cursor !== "")
        if (seen !== count) throw new Error(`${name} lists ${seen} messages of ${count}`)
      }
    }
  }
  const ids = await registerDevices(engine, devices * each, to === "user_ids" ? each : 0)
  return {
    name,
    port: engine.port,
    authorization: engine.authorization,
    to,
    devices: to === "device_ids" ? ids : Array.from({ length: devices }, (_, index) => userOf(index)),
    each,
    database,
    processes: processesOf(mailer, [sink.pid]),
    begin
  }
}

export const homeMadeServer = async ({ caFile, devices, sink, stage }: Site): Promise<Server> => {
  const name = "home-made"
  const database = await countingDatabase(stage)
  const { ask, pid } = await stage.servant<ServerOrder, ServerAnswer>(new URL("HomeMadeServer.ts", import.meta.url), [
    String(sink.port),
    caFile,
    database.url,
    String(devices)
  ])
  const SENT = "SELECT count(*)::int AS n FROM notifications WHERE id > $1 AND status = 'sent'"
  const begin = async (): Promise<Since> => {
    const last = await countOf(database, "SELECT coalesce(max(id), 0)::int AS n FROM notifications", [])
    const recorded = () => countOf(database, SENT, [last])
    return {
      recorded,
      reconcile: async (count) => {
        const all = await countOf(database, "SELECT count(*)::int AS n FROM notifications WHERE id > $1", [last])
        const sent = await recorded()
        if (all !== count || sent !== count) throw new Error(`${name} sent ${sent} messages of ${all}, not ${count}`)
      }
    }
  }
  return {
    name,
    ...(await ask({ what: "describe" })),
    to: "device_ids",
    each: 1,
    database,
    processes: { engine: () => [pid], PostgreSQL: () => [database.pid], sink: () => [sink.pid] },
    begin
  }
}
