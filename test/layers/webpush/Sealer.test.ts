import { Effect, Exit, Fiber, Logger, Scope } from "effect"
import { createECDH, randomBytes, type ECDH } from "node:crypto"
import { decrypt } from "http_ece"
import { setImmediate as turn } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { makeSealer, type Sealer } from "../../../layers/webpush/Sealer.ts"
import type { Subscription } from "../../../layers/webpush/Slice.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"

interface Browser extends Subscription {
  readonly pair: ECDH
  readonly p256dh: string
  readonly auth: string
}

const browsers = (count: number): ReadonlyArray<Browser> =>
  Array.from({ length: count }, () => {
    const pair = createECDH("prime256v1")
    const p256dh = pair.generateKeys("base64url")
    return { id: uuidv7(), pair, p256dh, auth: randomBytes(16).toString("base64url") }
  })
const template = { before: '{"title":"Grüße 🌍","service_device_id":"', after: '"}', bytes: 0 }
const textFor = ({ id }: Subscription) => template.before + id + template.after
const read = ({ auth, pair }: Browser, body: Uint8Array | null) =>
  decrypt(Buffer.from(body!), { version: "aes128gcm", privateKey: pair, authSecret: auth }).toString()

describe.each([0, 2])("a sealer with %i threads", (threads) => {
  let scope: Scope.Closeable
  let sealer: Sealer

  beforeEach(async () => {
    scope = Effect.runSync(Scope.make())
    sealer = await Effect.runPromise(Scope.provide(makeSealer(threads), scope))
  })
  afterEach(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const seal = (to: ReadonlyArray<Subscription>, isUrgent = false) =>
    Effect.runPromise(sealer.seal(template, to, isUrgent))

  it("writes to each its own text, under keys and a salt of its own", async () => {
    const all = browsers(150)
    const bodies = (
      await Promise.all([all.slice(0, 64), all.slice(64, 65), all.slice(65)].map((to) => seal(to)))
    ).flat()
    expect(all.map((browser, index) => read(browser, bodies[index]!))).toEqual(all.map(textFor))
    expect(new Set(bodies.map((body) => Buffer.from(body!).toString("hex", 0, 16))).size).toBe(150)
    expect(new Set(bodies.map((body) => Buffer.from(body!).toString("hex", 21, 86))).size).toBe(150)
  })

  it("answers null for keys that cannot be used, and serves the others of the batch", async () => {
    const good = browsers(2)
    const [{ p256dh, auth, id }] = browsers(1) as [Browser]
    const off = Buffer.from(p256dh, "base64url")
    off[40]! ^= 1
    const bad: ReadonlyArray<Subscription> = [
      { id, p256dh: null, auth },
      { id, p256dh, auth: null },
      { id, p256dh: "", auth },
      { id, p256dh: "AAAA", auth },
      { id, p256dh: p256dh.repeat(50), auth },
      { id, p256dh: off.toString("base64url"), auth },
      { id, p256dh: "🔑".repeat(44), auth },
      { id, p256dh, auth: auth.slice(1) },
      { id, p256dh, auth: `${auth}AAAA` }
    ]
    const bodies = await seal([good[0]!, ...bad, good[1]!])
    expect(bodies.slice(1, -1)).toEqual(bad.map(() => null))
    expect(read(good[0]!, bodies[0]!)).toBe(textFor(good[0]!))
    expect(read(good[1]!, bodies.at(-1)!)).toBe(textFor(good[1]!))
  })

  it("answers an empty batch", async () => {
    expect(await seal([])).toEqual([])
  })

  it("leaves out what nobody waits for any more", async () => {
    const to = browsers(64)
    const abandoned = Array.from({ length: 20 }, () => Effect.runFork(sealer.seal(template, to, false)))
    await Effect.runPromise(Fiber.interruptAll(abandoned))
    const [one] = browsers(1)
    expect(read(one!, (await seal([one!]))[0]!)).toBe(textFor(one!))
  })

  it("lets other events through while it works", async () => {
    const to = browsers(400)
    const done = new AbortController()
    let rounds = 0
    const sealed = seal(to).finally(() => done.abort())
    while (!done.signal.aborted) {
      await turn()
      rounds++
    }
    expect(rounds).toBeGreaterThan(3)
    expect(read(to[399]!, (await sealed)[399]!)).toBe(textFor(to[399]!))
  })
})

describe("a sealer without threads", () => {
  it("serves the urgent first, though they came last", async () => {
    const ended: Array<string> = []
    const to = browsers(64)
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const sealer = yield* makeSealer(0)
          const note = (name: string, isUrgent: boolean) =>
            Effect.map(sealer.seal(template, to, isUrgent), () => ended.push(name))
          yield* Effect.all([note("first", false), note("second", false), note("urgent", true)], {
            concurrency: "unbounded"
          })
        })
      )
    )
    expect(ended).toEqual(["urgent", "first", "second"])
  })
})

describe("a sealer whose threads end by themselves", () => {
  const program = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  const worker = new URL("../../../layers/webpush/SealWorker.ts", import.meta.url).href
  const programs = {
    "before they begin": 'throw new Error("no thread")',
    "over their first work": `import { parentPort } from "node:worker_threads"
      parentPort.on("message", () => process.exit(1))`,
    "now and then": `import { parentPort } from "node:worker_threads"
      import ${JSON.stringify(worker)}
      let n = 0
      parentPort.on("message", () => { if (++n === 3) setImmediate(() => process.exit(1)) })`
  }

  it.each(Object.entries(programs))("serves everybody once: %s", async (_, code) => {
    const to = browsers(48)
    const parts = Array.from({ length: 16 }, (_, n) => to.slice(3 * n, 3 * n + 3))
    const bodies = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const sealer = yield* makeSealer(2, program(code))
          return yield* Effect.forEach(parts, (part) => sealer.seal(template, part, false), { concurrency: 8 })
        })
      ).pipe(Effect.provide(Logger.layer([])))
    )
    expect(to.map((browser, index) => read(browser, bodies.flat()[index]!))).toEqual(to.map(textFor))
  })
})
