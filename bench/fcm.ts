import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { forkFleet } from "../simulators/FleetProcess.ts"
import { onStage } from "./Child.ts"
import type { SendAnswer, SendOrder } from "./fcm/Sender.ts"
import type { Benchmark, Contender } from "./Harness.ts"
import { measure } from "./Harness.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"

/*
 * FCM messages from memory: the engine's provider layer, with everything that it does for a message but the database,
 * against what one writes by hand. firebase-admin, which sends over node:http2 as well, cannot be pointed at a sink.
 *
 *   npm run bench -- fcm [--rounds 7]
 */

const SENDERS = [
  ["heliograph's FCM layer", "provider", 200_000],
  ["node:http2 + JSON.stringify", "node:http2", 12_000],
  ["undici request, h2", "undici", 8_000],
  ["fetch, h2", "fetch", 2_000]
] as const

const ANSWER = '{"name":"projects/demo-project/messages/0:1500415314455276%31bd1c9631bd1c96"}'

export const benchmark: Benchmark = {
  name: "fcm",
  about: "CPU of sending one FCM message, without the database",
  run: ({ flags, short }) =>
    onStage(async (stage) => {
      const fleet = await forkFleet()
      stage.onClose(() => fleet.stop())
      const at = await identity(stage)
      const sink = await leanSink(stage, at, ANSWER)
      // Access tokens come from the simulator's OAuth endpoint.
      const ca = join(at.folder, "both.pem")
      writeFileSync(ca, readFileSync(at.ca, "utf8") + readFileSync(fleet.description.ca, "utf8"))
      const contenders: Array<Contender> = []
      for (const [name, kind, few] of SENDERS) {
        const count = few * (short ? 1 : 4)
        const { ask, pid } = await stage.servant<SendOrder, SendAnswer>(new URL("fcm/Sender.ts", import.meta.url), [
          kind,
          String(sink.port),
          ca,
          JSON.stringify(fleet.description.credentials.fcm.service_account)
        ])
        contenders.push({
          name,
          processes: { sender: () => [pid], sink: () => [sink.pid] },
          turn: async () => {
            await sink.ask({ reset: true })
            const { seconds } = await ask({ count })
            const { requests } = await sink.ask({ reset: true })
            if (requests !== count) throw new Error(`${name}: the sink took ${requests} of ${count}`)
            return { operations: count, seconds }
          }
        })
      }
      const table = await measure({
        title: "FCM messages from memory, 1,000 at once",
        what: "messages",
        base: "node:http2 + JSON.stringify",
        rounds: Number(flags.get("rounds") ?? (short ? 3 : 7)),
        warmUp: 2,
        contenders
      })
      return {
        name: "fcm",
        tables: [table],
        facts: { "node:http2's CPU over that of the layer": table.rows[0]!.cpuRatio }
      }
    })
}
