import { Agent, request } from "node:http"
import { onStage, pause } from "./Child.ts"
import type { Benchmark, Options, Table, Turn } from "./Harness.ts"
import { measure, quantile } from "./Harness.ts"
import { CONTENT } from "./mailing/Content.ts"
import type { Counting, Mailer } from "./mailing/Mailer.ts"
import { apnsCredential, processesOf, startMailer } from "./mailing/Mailer.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"

/*
 * How long one high-priority message takes from its request to the moment at which its bytes reach the provider: while
 * nothing else goes on, and in the middle of a mailing of the same application. One is sent at a time, by a client that
 * keeps its connection. The sink tells the probes from the mailing by the length of their bodies.
 *
 *   npm run bench -- latency [--messages 300] [--devices 1000000] [--rounds 3]
 */

/** Longer than what the sink takes for a message of a mailing. */
const LONG = "Your code is 123 456. ".repeat(60)
const TIMEOUT_MS = 30_000
/** Between two probes during a mailing, so that they do not become a load of their own. */
const GAP_MS = 20

interface Probe {
  readonly answeredMs: number
  readonly arrivedMs: number
}

const makeProbe = (mailer: Mailer, sink: Counting, device: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = JSON.stringify({
    to: { device_ids: [device] },
    content: { title: "Code", body: LONG },
    priority: "high"
  })
  const headers = {
    authorization: mailer.engine.authorization,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  }
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        `${mailer.engine.url}/api/v1/notifications`,
        { agent, method: "POST", headers },
        (response) => {
          response.resume().on("end", () => {
            if (response.statusCode === 202) resolve()
            else reject(new Error(`A probe was answered ${response.statusCode}`))
          })
        }
      )
      outgoing.on("error", reject)
      outgoing.end(body)
    })
  let seen = 0
  return {
    close: () => agent.destroy(),
    reset: async () => {
      await sink.ask({ reset: true })
      seen = 0
    },
    send: async (): Promise<Probe> => {
      const startedAt = performance.timeOrigin + performance.now()
      await ask()
      const answeredMs = performance.timeOrigin + performance.now() - startedAt
      for (;;) {
        const { notable } = await sink.ask({ reset: false })
        const arrivedAt = notable[seen]
        if (arrivedAt !== undefined) {
          seen++
          return { answeredMs, arrivedMs: arrivedAt - startedAt }
        }
        if (performance.timeOrigin + performance.now() - startedAt > TIMEOUT_MS) {
          throw new Error("A probe did not arrive")
        }
        await pause(1)
      }
    }
  }
}

const asTurn = (probes: ReadonlyArray<Probe>, seconds: number): Turn => {
  const arrived = probes.map(({ arrivedMs }) => arrivedMs)
  const answered = probes.map(({ answeredMs }) => answeredMs)
  return {
    operations: probes.length,
    seconds,
    more: {
      "answered p50 ms": quantile(answered, 0.5),
      "answered p99 ms": quantile(answered, 0.99),
      "arrived p50 ms": quantile(arrived, 0.5),
      "arrived p99 ms": quantile(arrived, 0.99),
      "arrived most ms": Math.max(...arrived)
    }
  }
}

const run = ({ flags, short }: Options): Promise<Table> =>
  onStage(async (stage) => {
    const messages = Number(flags.get("messages") ?? (short ? 50 : 300))
    const devices = Number(flags.get("devices") ?? (short ? 50_000 : 1_000_000))
    const at = await identity(stage)
    const sink = await leanSink(stage, at)
    const mailer = await startMailer(stage, { caFile: at.ca, settings: {} })
    await mailer.engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
    await mailer.register(devices)
    const { id } = await mailer.engine.call("POST", "/api/v1/public/devices", {
      token: "ab".repeat(32),
      platform: "ios"
    })
    const probe = makeProbe(mailer, sink, id)
    stage.onClose(probe.close)

    const idle = async (): Promise<Turn> => {
      await probe.reset()
      const begun = performance.now()
      const probes: Array<Probe> = []
      while (probes.length < messages) probes.push(await probe.send())
      return asTurn(probes, (performance.now() - begun) / 1000)
    }
    const duringMailing = async (): Promise<Turn> => {
      await probe.reset()
      const begun = performance.now()
      const probes: Array<Probe> = []
      const mailing = await mailer.engine.call("POST", "/api/v1/notifications", { to: { all: true }, content: CONTENT })
      for (;;) {
        probes.push(await probe.send())
        const { status } = await mailer.get<{ status: string }>(`/api/v1/notifications/${mailing.id}`)
        if (status === "completed") break
        await pause(GAP_MS)
      }
      // The last one may have been sent after the end.
      if (probes.length > 1) probes.pop()
      return asTurn(probes, (performance.now() - begun) / 1000)
    }
    const processes = processesOf(mailer, [sink.pid])
    return measure({
      title: `Single messages, idle and during a mailing to ${devices.toLocaleString("en-US")} devices`,
      what: "single messages",
      base: "idle",
      rounds: Number(flags.get("rounds") ?? (short ? 2 : 3)),
      contenders: [
        { name: "idle", processes, turn: idle },
        // The CPU of a probe would be that of the mailing.
        { name: "during a mailing", processes: {}, turn: duringMailing }
      ]
    })
  })

export const benchmark: Benchmark = {
  name: "latency",
  about: "from the request to the provider, for single messages of high priority",
  run: async (options) => {
    const table = await run(options)
    const of = (row: number, figure: string) => table.rows[row]!.more[figure]!
    return {
      name: "latency",
      tables: [table],
      facts: {
        "idle, p50 ms": of(0, "arrived p50 ms"),
        "idle, p99 ms": of(0, "arrived p99 ms"),
        "during a mailing, p50 ms": of(1, "arrived p50 ms"),
        "during a mailing, p99 ms (at most 200)": of(1, "arrived p99 ms")
      }
    }
  }
}
