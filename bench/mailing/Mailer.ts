import { generateKeyPairSync } from "node:crypto"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import type { Stage } from "../Child.ts"
import { lastingPort, listening, pause, program } from "../Child.ts"
import { forgetPeak, peakOf } from "../Cpu.ts"
import type { Contender, Turn } from "../Harness.ts"
import { say } from "../Harness.ts"
import type { Engine } from "../ingress/Engine.ts"
import { startEngine } from "../ingress/Engine.ts"
import type { leanSink } from "../sinks/Sinks.ts"
import { CONTENT } from "./Content.ts"

/** The engine as its users run it, with an APNs credential that leads to a sink, and what a benchmark does with it. */

export type Counting = Awaited<ReturnType<typeof leanSink>>

export interface Counts {
  readonly accepted: number
  readonly pending: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly cancelled: number
}

export interface Mailer {
  /** Who is asked: the first of the nodes. */
  readonly engine: Engine
  readonly nodes: ReadonlyArray<Engine>
  readonly natsPid: number | null
  readonly get: <A>(path: string) => Promise<A>
  readonly patch: (path: string, body: unknown) => Promise<void>
  /** Registers devices by the import, with tokens that follow from their numbers, or contacts. */
  readonly register: (count: number, line?: (n: number) => object, what?: "devices" | "contacts") => Promise<void>
  /** Sends to all and waits for the totals, which must reconcile without a failure. */
  readonly mail: () => Promise<Mailing>
}

export interface Mailing {
  readonly id: string
  readonly counts: Counts
  /** From the request to the moment that the status says completed. */
  readonly seconds: number
}

export interface MailerOptions {
  /** The authority of the provider, where it speaks TLS. */
  readonly caFile?: string
  /** What a mailing says, `CONTENT` unless given. */
  readonly content?: object
  readonly settings: Readonly<Record<string, string>>
  readonly nats?: boolean
  /** So many with the same settings, 1 unless given; more need a `DATABASE_URL` and `nats`. */
  readonly nodes?: number
}

const POLL_MS = 50
/** Without a step forward for so long, something is broken. */
const TIMEOUT_MS = 120_000

const natsServer = async (stage: Stage): Promise<{ readonly url: string; readonly pid: number }> => {
  const port = await lastingPort()
  const args = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", stage.folder()]
  const { child } = stage.spawn(program("nats-server", "nats-server"), args, { stdio: "ignore" })
  await listening(port, child)
  return { url: `nats://127.0.0.1:${port}`, pid: child.pid! }
}

export const startMailer = async (stage: Stage, options: MailerOptions): Promise<Mailer> => {
  const nats = options.nats === true ? await natsServer(stage) : null
  const settings = {
    ...(options.caFile === undefined ? {} : { OUTBOUND_CA_FILE: options.caFile }),
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    ...(nats === null ? {} : { NATS_URL: nats.url }),
    ...options.settings
  }
  const engine = await startEngine(settings)
  stage.onClose(engine.close)
  const nodes = [engine]
  while (nodes.length < (options.nodes ?? 1)) {
    const node = await startEngine(settings, engine.authorization)
    stage.onClose(node.close)
    nodes.push(node)
  }
  const headers = { authorization: engine.authorization, "content-type": "application/json" }
  const get: Mailer["get"] = async <A>(path: string) => {
    const response = await fetch(engine.url + path, { headers })
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as A
  }

  const { content = CONTENT } = options
  const mail: Mailer["mail"] = async () => {
    const begun = performance.now()
    const { id } = await engine.call("POST", "/api/v1/notifications", { to: { all: true }, content })
    let [last, seen] = [begun, -1]
    for (;;) {
      const { counts, status } = await get<{ status: string; counts: Counts }>(`/api/v1/notifications/${id}`)
      const now = performance.now()
      if (status === "completed") {
        if (counts.sent !== counts.accepted) throw new Error(`Totals are ${JSON.stringify(counts)}`)
        return { id, counts, seconds: (now - begun) / 1000 }
      }
      if (counts.sent !== seen) [seen, last] = [counts.sent, now]
      else if (now - last > TIMEOUT_MS) throw new Error(`Stands still at ${JSON.stringify(counts)}`)
      await pause(POLL_MS)
    }
  }

  return {
    engine,
    nodes,
    natsPid: nats?.pid ?? null,
    get,
    patch: async (path, body) => {
      const response = await fetch(engine.url + path, { method: "PATCH", headers, body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
      await response.arrayBuffer()
    },
    register: async (count, line = deviceOf, what = "devices") => {
      const begun = performance.now()
      function* chunks() {
        for (let n = 0; n < count; n += 1000) {
          yield Array.from({ length: Math.min(1000, count - n) }, (_, i) => `${JSON.stringify(line(n + i))}\n`).join("")
        }
      }
      const response = await fetch(`${engine.url}/api/v1/${what}/import`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-ndjson" },
        body: Readable.toWeb(Readable.from(chunks())) as ReadableStream<Uint8Array>,
        duplex: "half"
      } as RequestInit)
      let registered = 0
      for await (const answer of createInterface({ input: Readable.fromWeb(response.body as never) })) {
        if (!answer.includes('"id"')) throw new Error(`The import says ${answer}`)
        registered++
      }
      if (registered !== count) throw new Error(`${count} ${what} were imported, ${registered} registered`)
      say(`${count} ${what} registered in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    },
    mail
  }
}

const deviceOf = (n: number): object => ({
  token: `${n.toString(16).padStart(8, "0")}${"f0e1d2c3b4a59687".repeat(4)}`.slice(0, 64),
  platform: "ios",
  user_id: `user-${n}`
})

/** An APNs credential whose endpoint is a port of loopback. */
export const apnsCredential = (port: number): object => ({
  team_id: "DEF123GHIJ",
  key_id: "ABC123DEFG",
  private_key: generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString(),
  bundle_id: "com.example.app",
  endpoint: `https://localhost:${port}`,
  sandbox_endpoint: `https://localhost:${port}`
})

/** The processes of a mailer, under the names that tables show. */
export const processesOf = (mailer: Mailer, sinks: ReadonlyArray<number>): Contender["processes"] => ({
  engine: () => mailer.nodes.map((node) => node.process.pid!),
  PostgreSQL: () => [mailer.engine.postmaster],
  ...(mailer.natsPid === null ? {} : { NATS: () => [mailer.natsPid!] }),
  sink: () => sinks
})

/** One mailing to all: every message must reach the sink, and no more. */
export const mailingTurn = async (mailer: Mailer, sink: Counting, webhooks: Counting | null = null): Promise<Turn> => {
  const { pid } = mailer.engine.process
  forgetPeak(pid!)
  await sink.ask({ reset: true })
  await webhooks?.ask({ reset: true })
  const { counts, seconds } = await mailer.mail()
  const { requests } = await sink.ask({ reset: true })
  if (requests !== counts.sent) throw new Error(`The sink took ${requests} messages, the totals say ${counts.sent}`)
  const more: Record<string, number> = {}
  if (webhooks !== null) {
    const begun = performance.now()
    let posts = 0
    while ((posts = (await webhooks.ask({ reset: false })).requests) < counts.sent) {
      if (performance.now() - begun > TIMEOUT_MS * 10) throw new Error(`${posts} webhooks of ${counts.sent}`)
      await pause(POLL_MS)
    }
    more["s until the last webhook"] = seconds + (performance.now() - begun) / 1000
    if (posts !== counts.sent) throw new Error(`${posts} webhooks for ${counts.sent} messages`)
  }
  return { operations: counts.sent, seconds, more: { ...more, "engine peak MB": peakOf(pid!) } }
}
