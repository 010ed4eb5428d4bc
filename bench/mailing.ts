import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Audience } from "../simulators/Audience.ts"
import { forkFleet } from "../simulators/FleetProcess.ts"
import type { Servant, Stage } from "./Child.ts"
import { onStage, program } from "./Child.ts"
import { database } from "./Database.ts"
import type { Benchmark, Contender, Row, Table } from "./Harness.ts"
import { measure, say, totalCpu } from "./Harness.ts"
import type { SendAnswer as HomeMadeAnswer } from "./mailing/HomeMade.ts"
import { CONTENT } from "./mailing/Content.ts"
import type { Counting, Mailer } from "./mailing/Mailer.ts"
import { apnsCredential, mailingTurn, processesOf, startMailer } from "./mailing/Mailer.ts"
import type { SendAnswer, SendOrder } from "./mailing/NodeApn.ts"
import { startRedis } from "./sinks/Redis.ts"
import type { Identity } from "./sinks/Sinks.ts"
import { webhookSink, identity, leanSink } from "./sinks/Sinks.ts"

/*
 * One mailing to iOS devices, from the request to reconciled totals, against what sends the same without any
 * totals, and against the usual home-made stack. Peers send a share of the audience in each turn: their rates do not
 * depend on it.
 *
 *   npm run bench -- mailing [--devices 100000[,1000000]] [--rounds 3] [--processes 2] [--only embedded,nats,events]
 */

const NODE_APN_SHARE = 0.2
const GO_SHARE = 0.4
const HOME_MADE_SHARE = 0.05

const NODE_APN = "@parse/node-apn, no record"
const GO = "Go net/http, no record"

/** Go's net/http as a sender, built of one file and its standard library. */
const goSender = (stage: Stage, sink: Counting, at: Identity) => {
  const built = join(stage.folder(), "sender")
  const source = fileURLToPath(new URL("mailing/sender.go", import.meta.url))
  execFileSync(program("go", "golang-go"), ["build", "-o", built, source], { stdio: "inherit" })
  const args = [String(sink.port), at.ca, CONTENT.title, CONTENT.body]
  return stage.lineServant<{ readonly count: number }, SendAnswer>(built, args)
}

const peers = async (
  stage: Stage,
  sink: Counting,
  at: Identity,
  devices: number
): Promise<ReadonlyArray<Contender>> => {
  const nodeApn = await stage.servant<SendOrder, SendAnswer>(new URL("mailing/NodeApn.ts", import.meta.url), [
    String(sink.port),
    at.ca
  ])
  const go = await goSender(stage, sink, at)
  const check = async (sent: number) => {
    const { requests } = await sink.ask({ reset: true })
    if (requests !== sent) throw new Error(`The sink took ${requests} messages of ${sent}`)
  }
  const fromMemory = (
    name: string,
    { ask, pid }: Pick<Servant<{ readonly count: number }, SendAnswer>, "ask" | "pid">,
    share: number
  ): Contender => {
    const count = Math.ceil(devices * share)
    return {
      name,
      processes: { engine: () => [pid], sink: () => [sink.pid] },
      turn: async () => {
        await sink.ask({ reset: true })
        const { seconds } = await ask({ count })
        await check(count)
        return { operations: count, seconds }
      }
    }
  }
  const byNodeApn = (perCall: number) => ({
    pid: nodeApn.pid,
    ask: ({ count }: { readonly count: number }) => nodeApn.ask({ count, perCall })
  })
  const [store, queue] = [await database(stage), await startRedis(stage)]
  const few = Math.ceil(devices * HOME_MADE_SHARE)
  const homeMade = await stage.servant<{ readonly count: number }, HomeMadeAnswer>(
    new URL("mailing/HomeMade.ts", import.meta.url),
    [String(sink.port), at.ca, store.url, String(queue.port), String(few)]
  )
  return [
    fromMemory(NODE_APN, byNodeApn(1), NODE_APN_SHARE),
    fromMemory("the same, one body for 1,000", byNodeApn(1000), NODE_APN_SHARE),
    fromMemory(GO, go, GO_SHARE),
    {
      name: "BullMQ + node-apn + INSERT",
      processes: {
        engine: () => [homeMade.pid],
        PostgreSQL: () => [store.pid],
        Redis: () => [queue.pid],
        sink: () => [sink.pid]
      },
      turn: async () => {
        await sink.ask({ reset: true })
        const { rows, seconds } = await homeMade.ask({ count: few })
        await check(few)
        if (rows !== few) throw new Error(`${rows} rows were written for ${few} messages`)
        return { operations: few, seconds }
      }
    }
  ]
}

/** Whether every message arrives once, asked of the simulator, which knows each of them. */
const exactness = async (devices: number, settings: Readonly<Record<string, string>>): Promise<string> =>
  onStage(async (stage) => {
    const fleet = await forkFleet()
    stage.onClose(() => fleet.stop())
    const audience = new Audience({ ...fleet.description.audience, mix: { ios: 10, android: 0, web: 0 } })
    const mailer = await startMailer(stage, { caFile: fleet.description.ca, settings })
    await mailer.engine.call("PUT", "/api/v1/credentials/apns", fleet.description.credentials.apns)
    await mailer.register(devices, (n) => audience.device(n))
    const { counts } = await mailer.mail()
    const received = [...(await fleet.received("apns")).values(), ...(await fleet.received("apns-sandbox")).values()]
    const all = received.reduce((sum, times) => sum + times, 0)
    if (counts.sent !== devices) throw new Error(`Totals are ${JSON.stringify(counts)}`)
    return `${devices} sent, ${devices - received.length} lost, ${all - received.length} twice`
  })

const start = async (
  stage: Stage,
  sink: Counting,
  at: Identity,
  devices: number,
  settings: Readonly<Record<string, string>>,
  nats: boolean
): Promise<Mailer> => {
  const mailer = await startMailer(stage, { caFile: at.ca, settings, nats })
  await mailer.engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
  await mailer.register(devices)
  return mailer
}

const one = (
  devices: number,
  options: { rounds: number; settings: Record<string, string>; only: Set<string> | null }
) =>
  onStage(async (stage): Promise<Table> => {
    const { only, rounds, settings } = options
    const has = (name: string) => only === null || only.has(name)
    const at = await identity(stage)
    const sink = await leanSink(stage, at)
    const contenders: Array<Contender> = []
    if (has("embedded") || has("events")) {
      const mailer = await start(stage, sink, at, devices, settings, false)
      if (has("embedded")) {
        contenders.push({
          name: "heliograph",
          processes: processesOf(mailer, [sink.pid]),
          turn: () => mailingTurn(mailer, sink)
        })
      }
      if (has("events")) {
        const webhooks = await webhookSink(stage)
        const { id } = await mailer.engine.call("POST", "/api/v1/webhooks", {
          name: "bench",
          url: `http://127.0.0.1:${webhooks.port}/webhook`,
          events: ["NOTIFICATION_SENT"],
          is_active: false
        })
        contenders.push({
          name: "heliograph, one webhook on every message",
          processes: processesOf(mailer, [sink.pid, webhooks.pid]),
          turn: async () => {
            await mailer.patch(`/api/v1/webhooks/${id}`, { is_active: true })
            const turn = await mailingTurn(mailer, sink, webhooks)
            await mailer.patch(`/api/v1/webhooks/${id}`, { is_active: false })
            return turn
          }
        })
      }
    }
    if (has("nats")) {
      const mailer = await start(stage, sink, at, devices, settings, true)
      contenders.push({
        name: "heliograph over NATS",
        processes: processesOf(mailer, [sink.pid]),
        turn: () => mailingTurn(mailer, sink)
      })
    }
    contenders.push(...(await peers(stage, sink, at, devices)))
    return measure({
      title: `A mailing to ${devices.toLocaleString("en-US")} devices, to reconciled totals`,
      what: "messages",
      base: NODE_APN,
      rounds,
      contenders
    })
  })

export const benchmark: Benchmark = {
  name: "mailing",
  about:
    "end to end: one mailing, every message accounted for, against senders that keep no totals and a home-made stack",
  run: async ({ flags, short }) => {
    const sizes = (flags.get("devices") ?? (short ? "20000" : "100000,1000000")).split(",").map(Number)
    const settings: Record<string, string> = flags.has("processes") ? { PROCESSES: flags.get("processes")! } : {}
    const only = flags.has("only") ? new Set(flags.get("only")!.split(",")) : null
    const tables: Array<Table> = []
    const facts: Record<string, number | string> = {}
    for (const devices of sizes) {
      const rounds = Number(flags.get("rounds") ?? (short ? 2 : devices > 200_000 ? 3 : 5))
      const table = await one(devices, { rounds, settings, only })
      tables.push(table)
      const row = (name: string): Row | undefined => table.rows.find((row) => row.name === name)
      const [own, go, made] = [row("heliograph") ?? table.rows[0]!, row(GO)!, row("BullMQ + node-apn + INSERT")!]
      facts[`${devices}: rate over @parse/node-apn without a record (at least 4)`] = own.rateRatio
      facts[`${devices}: rate over Go's net/http without a record (at least 2)`] = own.rateRatio / go.rateRatio
      facts[`${devices}: rate over the home-made stack (at least 15)`] = own.perSecond / made.perSecond
      facts[`${devices}: CPU µs a recipient over all processes (at most 12 at 1,000,000)`] = totalCpu(own.cpu)
      facts[`${devices}: engine's peak memory, MB, all its processes (at most 400 at 1,000,000)`] =
        own.more["engine peak MB"] ?? Number.NaN
    }
    say("exactness, against the simulator")
    facts["exactness"] = await exactness(short ? 5_000 : 50_000, settings)
    return { name: "mailing", tables, facts }
  }
}
