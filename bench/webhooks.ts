import { onStage } from "./Child.ts"
import type { Benchmark, Contender } from "./Harness.ts"
import { measure } from "./Harness.ts"
import { webhookSink } from "./sinks/Sinks.ts"
import { startRedis } from "./sinks/Redis.ts"
import type { PostAnswer, PostOrder } from "./webhooks/Poster.ts"

/*
 * Signed events of about 400 bytes to one customer's server over HTTP/1.1, 64 connections: the engine's webhook layer,
 * with its outbound rules and deadlines, against what one writes by hand. The event table "mailing" measures the whole
 * way with its records.
 *
 *   npm run bench -- webhooks [--rounds 7]
 */

const POSTERS = [
  ["heliograph's webhook layer", "own", 20_000],
  ["undici dispatch", "dispatch", 20_000],
  ["undici request", "request", 15_000],
  ["fetch", "fetch", 3_000],
  ["BullMQ + fetch", "bullmq", 2_000]
] as const

export const benchmark: Benchmark = {
  name: "webhooks",
  about: "CPU of posting one signed event, without the database",
  run: ({ flags, short }) =>
    onStage(async (stage) => {
      const [sink, redis] = [await webhookSink(stage), await startRedis(stage)]
      const contenders: Array<Contender> = []
      for (const [name, kind, few] of POSTERS) {
        const count = few * (short ? 1 : 4)
        const { ask, pid } = await stage.servant<PostOrder, PostAnswer>(
          new URL("webhooks/Poster.ts", import.meta.url),
          [kind, String(sink.port), String(redis.port)]
        )
        contenders.push({
          name,
          processes: {
            sender: () => [pid],
            ...(kind === "bullmq" ? { Redis: () => [redis.pid] } : {}),
            sink: () => [sink.pid]
          },
          turn: async () => {
            await sink.ask({ reset: true })
            const { seconds } = await ask({ count })
            const { requests } = await sink.ask({ reset: true })
            if (requests !== count) throw new Error(`${name}: the receiver took ${requests} of ${count}`)
            return { operations: count, seconds }
          }
        })
      }
      const table = await measure({
        title: "Signed webhooks of 400 bytes, 64 connections",
        what: "posts",
        base: "undici request",
        rounds: Number(flags.get("rounds") ?? (short ? 3 : 7)),
        warmUp: 2,
        contenders
      })
      return {
        name: "webhooks",
        tables: [table],
        facts: { "rate over undici request (at least 1)": table.rows[0]!.rateRatio }
      }
    })
}
