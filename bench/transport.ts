import { join } from "node:path"
import { onStage, type Stage } from "./Child.ts"
import { type Benchmark, type Contender, measure, type Row, type Table } from "./Harness.ts"
import type { Done, Order } from "./transport/Sender.ts"
import { prepare, type Sink, startNghttpd, startNginx } from "./transport/Sink.ts"

/*
 * The transport alone: POSTs as APNs takes them (a token in the path, a JWT's length of authorization, an apns-id, 311
 * bytes of JSON) over TLS to a server written by others, each answered with 200.
 *
 *   npm run bench -- transport [--rounds 7] [--requests 200000]
 *
 * Each sender is a process of its own; its CPU counts, all its threads and TLS included. Slower ones send fewer requests
 * a turn. Left out: everything before and after sending. h2load repeats one body and one apns-id; every other sender
 * makes the id in the body and the apns-id of each request, and the own client does it twice: with what paths and bodies share
 * given once, as the engine does, and with a whole new body for each.
 */

const SENDERS: ReadonlyArray<readonly [key: string, name: string, share: number]> = [
  ["own", "own client", 1],
  ["own-bodies", "own client, whole bodies", 1],
  ["h2load", "h2load (C)", 1],
  ["node", "node:http2", 0.1],
  ["wrapper", "http2-wrapper layer", 0.05],
  ["undici", "undici dispatch, HTTP/2", 0.1],
  ["node-apn", "@parse/node-apn", 0.05]
]

const contenders = (
  stage: Stage,
  sink: Sink,
  port: number,
  requests: number,
  connections: number,
  keys: ReadonlyArray<string>
): Promise<ReadonlyArray<Contender>> =>
  Promise.all(
    SENDERS.filter(([key]) => keys.includes(key)).map(async ([key, name, share]): Promise<Contender> => {
      const servant = await stage.servant<Order, Done>(
        new URL("./transport/Sender.ts", import.meta.url),
        [key, String(port), sink.folder, String(connections)],
        { ...process.env, NODE_EXTRA_CA_CERTS: join(sink.folder, "ca.pem") }
      )
      return {
        name,
        processes: { sender: () => [servant.pid], sink: () => [sink.pid] },
        turn: async () => {
          const operations = Math.round(requests * share)
          return { operations, seconds: (await servant.ask({ requests: operations })).seconds }
        }
      }
    })
  )

const ALL = SENDERS.map(([key]) => key)
const cpu = (table: Table, name: string): number => (table.rows.find((row) => row.name === name) as Row).cpu["sender"]!
const lessThan = (table: Table, name: string): number => cpu(table, name) / cpu(table, "own client")

export const benchmark: Benchmark = {
  name: "transport",
  about: "requests over HTTP/2, CPU of the sender for each",
  run: ({ short, flags }) =>
    onStage(async (stage) => {
      const rounds = Number(flags.get("rounds") ?? (short ? 3 : 7))
      const requests = Number(flags.get("requests") ?? (short ? 100_000 : 300_000))
      const folder = prepare(stage)
      const plan = { what: "requests", rounds }

      const nghttpd = await startNghttpd(stage, folder)
      const lean = await measure({
        ...plan,
        title: "One connection to nghttpd",
        base: "node:http2",
        contenders: await contenders(stage, nghttpd, nghttpd.port, requests, 1, ALL)
      })

      const nginx = await startNginx(stage, folder)
      const like = await measure({
        ...plan,
        title: "One connection to nginx, which answers like APNs",
        base: "node:http2",
        contenders: await contenders(stage, nginx, nginx.port, requests, 1, ALL)
      })

      const line = await stage.servant<object, { readonly port: number }>(
        new URL("./transport/Delay.ts", import.meta.url),
        [String(nghttpd.port), "30"]
      )
      const { port } = await line.ask({})
      const far = await measure({
        ...plan,
        title: "Eight connections with 30 ms of round trip to nghttpd",
        base: "node:http2",
        contenders: await contenders(stage, nghttpd, port, requests, 8, ["own", "h2load", "node"])
      })

      const inRounds = (table: Table): number => (table.rows.find((row) => row.name === "own client") as Row).cpuRatio
      const facts = Object.fromEntries(
        (["nghttpd", "nginx"] as const).flatMap((sink) => {
          const table = sink === "nghttpd" ? lean : like
          return [
            [`${sink}: h2load's CPU over the own client's (at least 1)`, lessThan(table, "h2load (C)")],
            [`${sink}: node:http2's CPU over the own client's (at least 15)`, lessThan(table, "node:http2")],
            [`${sink}: the same, median of the rounds' ratios`, inRounds(table)],
            [`${sink}: @parse/node-apn's CPU over the own client's (at least 15)`, lessThan(table, "@parse/node-apn")]
          ]
        })
      ) as Record<string, number>
      return { name: "transport", tables: [lean, like, far], facts }
    })
}
