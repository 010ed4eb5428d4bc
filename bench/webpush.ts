import { Effect, Exit, Scope } from "effect"
import { createECDH, randomBytes } from "node:crypto"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import webpush from "web-push"
import type { Sealer } from "../layers/webpush/Sealer.ts"
import { makeSealer } from "../layers/webpush/Sealer.ts"
import { PushServices } from "../layers/webpush/PushServices.ts"
import { uuidv7 } from "../services/ports/NewId.ts"
import type { Benchmark } from "./Harness.ts"
import { agree } from "./webpush/Bare.ts"
import { prepare, type PeerData } from "./webpush/Peer.ts"

/*
 * Web Push: what is done for each message before it is sent, that is RFC 8291's encryption with a fresh key pair and the
 * VAPID header, by the engine's own code and by the package web-push, on one core and on two.
 *
 *   npm run bench -- webpush [--rounds 7] [--messages 12000]
 *
 * All take turns on one machine, each in every round: the ratios count. CPU is of the whole process, all its threads.
 * "New subscribers" are 20,000 who come round again after the keys that are kept were forgotten; "known" are 1,000.
 * Left out: sending, answers, the database. web-push signs a VAPID token for each message, as it always does.
 * What two cores of a machine give is told by a loop of nothing but key agreements on one thread and on two: no message
 * can scale better, and on a machine that others use, or whose two cores are one, even that loop falls short of 2.
 */

const ORIGIN = "https://updates.push.example.org"
const NEW = 20_000
const KNOWN = 1000
/** As the provider's layer does it. */
const SLICE = 64
const SLICES_AT_ONCE = 4

export interface Row {
  readonly name: string
  readonly perSecond: number
  readonly slowest: number
  readonly fastest: number
  /** Microseconds of CPU a message. */
  readonly cpu: number
}

export interface Report {
  readonly rows: ReadonlyArray<Row>
  /** CPU of web-push on one core over that of the engine. */
  readonly lessCpu: number
  /** The same for subscribers who are known. */
  readonly lessCpuKnown: number
  /** Rate of two threads over that of one, of the engine's own. */
  readonly twoCores: number
  /** The same of a loop of bare key agreements, which share nothing: what the machine gives. */
  readonly twoCoresBare: number
  /** How long the event loop was kept while its own thread encrypted, milliseconds: of 99 turns in 100 no longer. */
  readonly turnMs: number
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Notes the milliseconds between rounds of the event loop, until it is called off. */
const watchTurns = (turns: Array<number>): (() => void) => {
  let last = performance.now()
  let next: NodeJS.Immediate
  const turn = (): void => {
    const now = performance.now()
    turns.push(now - last)
    last = now
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  return () => clearImmediate(next)
}

const subscribers = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: uuidv7(),
    endpoint: `${ORIGIN}/wpush/v2/${n}`,
    p256dh: createECDH("prime256v1").generateKeys("base64url"),
    auth: randomBytes(16).toString("base64url")
  }))

export const run = async (options: { readonly rounds?: number; readonly messages?: number } = {}): Promise<Report> => {
  const { rounds = 7, messages = 12_000 } = options
  const [newcomers, known] = [subscribers(NEW), subscribers(KNOWN)]
  const text = { title: "Sale", body: "Everything must go. ".repeat(10), service_notification_id: uuidv7() }
  const before = `${JSON.stringify(text).slice(0, -1)},"service_device_id":"`
  const template = { before, after: '"}', bytes: Buffer.byteLength(before) + 38 }
  const vapid = { ...webpush.generateVAPIDKeys(), subject: "mailto:push@example.org" }
  const keys = { subject: vapid.subject, public_key: vapid.publicKey, private_key: vapid.privateKey }
  const data: PeerData = { subscriptions: newcomers, vapid, text: before + uuidv7() + template.after }

  const scope = Effect.runSync(Scope.make())
  const sealers = await Promise.all(
    [0, 1, 2].map((threads) => Effect.runPromise(Scope.provide(makeSealer(threads), scope)))
  )
  const peers = [0, 1].map(() => new Worker(new URL("./webpush/Peer.ts", import.meta.url), { workerData: data }))
  const bare = [0, 1].map(() => new Worker(new URL("./webpush/Bare.ts", import.meta.url)))
  const services = new PushServices()

  let at = 0
  const own = (sealer: Sealer, to: typeof newcomers) => () => {
    // Made ahead of the measured work: batches come from the database.
    const slices = Array.from({ length: Math.ceil(messages / SLICE) }, (_, n) =>
      Array.from({ length: Math.min(SLICE, messages - n * SLICE) }, (_, i) => to[(at + n * SLICE + i) % to.length]!)
    )
    at += messages
    return () => work(sealer, slices)
  }
  const work = (sealer: Sealer, slices: ReadonlyArray<typeof newcomers>) =>
    Effect.runPromise(
      Effect.forEach(
        slices,
        (slice) => {
          services.authorization("app:1", ORIGIN, keys, Date.now())
          return sealer.seal(template, slice, false)
        },
        { concurrency: SLICES_AT_ONCE, discard: true }
      )
    )
  const onTwo = (threads: ReadonlyArray<Worker>) => () =>
    Promise.all(
      threads.map(async (thread, n) => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        thread.postMessage({ from: (n * messages) / 2, to: ((n + 1) * messages) / 2 })
        await once(thread, "message")
      })
    )

  /** What each prepares, and then does against the clock. */
  const contestants: ReadonlyArray<readonly [string, () => () => unknown]> = [
    ["web-push, one core", () => () => prepare(data, 0, messages)],
    ["own, one core, new subscribers", own(sealers[0]!, newcomers)],
    ["own, one core, known subscribers", own(sealers[0]!, known)],
    ["own, one thread beside, new", own(sealers[1]!, newcomers)],
    ["web-push, two threads", () => onTwo(peers)],
    ["own, two threads, new", own(sealers[2]!, newcomers)],
    ["bare key agreements, one core", () => () => agree(0, messages)],
    ["bare key agreements, two threads", () => onTwo(bare)]
  ]
  const OWN = 1
  const cpu = contestants.map((): Array<number> => [])
  const rate = contestants.map((): Array<number> => [])
  const turns: Array<number> = []
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, [, ready]] of contestants.entries()) {
      const work = ready()
      const watch = index === OWN && round > 0 ? watchTurns(turns) : () => {}
      const usage = process.cpuUsage()
      const begun = performance.now()
      await work()
      const seconds = (performance.now() - begun) / 1000
      const { system, user } = process.cpuUsage(usage)
      watch()
      if (round === 0) continue
      cpu[index]!.push((system + user) / messages)
      rate[index]!.push(messages / seconds)
    }
  }
  await Promise.all([...peers, ...bare].map((thread) => thread.terminate()))
  await Effect.runPromise(Scope.close(scope, Exit.void))

  /** The median of the ratios of each round: what disturbed a round disturbed both. */
  const ratio = (over: ReadonlyArray<number>, under: ReadonlyArray<number>): number =>
    median(over.map((value, round) => value / under[round]!))
  return {
    rows: contestants.map(([title], index) => ({
      name: title,
      perSecond: median(rate[index]!),
      slowest: Math.min(...rate[index]!),
      fastest: Math.max(...rate[index]!),
      cpu: median(cpu[index]!)
    })),
    lessCpu: ratio(cpu[0]!, cpu[1]!),
    lessCpuKnown: ratio(cpu[0]!, cpu[2]!),
    twoCores: ratio(rate[5]!, rate[1]!),
    twoCoresBare: ratio(rate[7]!, rate[6]!),
    turnMs: turns.toSorted((a, b) => a - b)[Math.floor(turns.length * 0.99)]!
  }
}

export const benchmark: Benchmark = {
  name: "webpush",
  about: "RFC 8291 encryption and VAPID of one message, against the package web-push",
  run: async ({ flags, short }) => {
    const rounds = Number(flags.get("rounds") ?? (short ? 3 : 7))
    const report = await run({ rounds, messages: Number(flags.get("messages") ?? (short ? 2000 : 12_000)) })
    const base = report.rows[0]!
    const rows = report.rows.map((row) => ({
      ...row,
      cpu: { sender: row.cpu },
      more: {},
      rateRatio: row.perSecond / base.perSecond,
      cpuRatio: base.cpu / row.cpu
    }))
    return {
      name: "webpush",
      tables: [{ title: "Web push messages prepared", what: "messages", base: base.name, rounds, rows }],
      facts: {
        "CPU of web-push over own, new subscribers (at least 2)": report.lessCpu,
        "CPU of web-push over own, known subscribers": report.lessCpuKnown,
        "rate of two threads over one (at least 1.7)": report.twoCores,
        "rate of two threads over one, bare key agreements: what the machine gives": report.twoCoresBare,
        "longest turns on the event loop, ms, 99 of 100": report.turnMs
      }
    }
  }
}
