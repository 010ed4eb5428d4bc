import { Effect, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { expect, it } from "vitest"
import type { AuditEntryId } from "../../../../services/domain/Ids.ts"
import { CanWait } from "../../../../services/ports/operations/CanWait.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import { makeLineImport } from "../../../../src/http/pipeline/LineImport.ts"
import { LATE, WaitLimiter, waitsOf } from "../../../../src/http/pipeline/WaitLimiter.ts"

/** Imports a text of lines; answers each line's result, and what was stored together. `fault` is of each try's number. */
const importAll = async (
  text: string,
  fault: (tries: number) => StoreError | null = () => null,
  appId = "a",
  work = () => Promise.resolve()
) => {
  const importing = makeLineImport(Schema.Struct({ name: Schema.String }), text.length)
  const stored: Array<number> = []
  const canWait: Array<boolean> = []
  const call = {
    request: {
      headers: {},
      source: { socket: { bytesRead: 0 }, readableLength: 0, complete: true },
      stream: Stream.make(new TextEncoder().encode(text))
    },
    requestId: "r",
    caller: { appId },
    waits: waitsOf(new WaitLimiter(() => undefined))
  } as unknown as Parameters<typeof importing>[0]
  let tries = 0
  const store: Parameters<typeof importing>[1] = (rows) =>
    Effect.flatMap(CanWait, (can) => {
      const error = fault(++tries)
      if (error !== null) return Effect.fail(error)
      canWait.push(can)
      stored.push(rows.length)
      const answers = rows.map((_, n) => ({ id: String(n), created: true }))
      return Effect.as(Effect.promise(work), answers)
    })
  const response = await Effect.runPromise(importing(call, store, Effect.succeed("e" as AuditEntryId)))
  const { stream } = response.body as unknown as { readonly stream: Stream.Stream<Uint8Array> }
  const lines = await Effect.runPromise(
    Effect.gen(function* () {
      const goesOn = Effect.andThen(
        TestClock.adjust("1 second"),
        Effect.promise(() => setImmediate())
      )
      return yield* Effect.raceFirst(Stream.mkString(Stream.decodeText(stream)), Effect.forever(goesOn))
    }).pipe(Effect.provide(TestClock.layer()))
  )
  return { lines: lines.trim().split("\n"), stored, canWait, tries }
}

it("The rows of an import leave connections of the database to what is more urgent, though they are written after the answer has begun.", async () => {
  const { canWait, lines } = await importAll('{"name":"a"}\n{"name":"b"}\n')
  expect(lines).toHaveLength(2)
  expect(canWait).toEqual([true])
})

it("Lines are stored a thousand at once, and fewer where they are long.", async () => {
  const many = await importAll('{"name":"a"}\n'.repeat(2500))
  expect([many.stored, many.lines.length]).toEqual([[1000, 1000, 500], 2500])
  const long = await importAll(`{"name":"${"x".repeat(60_000)}"}\n`.repeat(40))
  expect([long.stored, long.lines.length]).toEqual([[17, 17, 6], 40])
})

const broken = (over: Partial<StoreError> = {}) =>
  new StoreError({ operation: "DeviceStore.register", cause: new Error("connection refused"), ...over })

it("A chunk that the database cannot take is tried for 16 seconds; then the import ends and says from where to send again.", async () => {
  const short = await importAll('{"name":"a"}\n'.repeat(2000), (tries) => (tries > 1 && tries < 8 ? broken() : null))
  expect([short.stored, short.tries]).toEqual([[1000, 1000], 8])
  const long = await importAll('{"name":"a"}\n'.repeat(3000), (tries) => (tries > 1 ? broken() : null))
  expect([long.stored, long.tries, long.lines.length]).toEqual([[1000], 8, 2001])
  const answers = long.lines.slice(1000).map((line) => JSON.parse(line))
  expect(new Set(answers.map(({ error }) => error.code))).toEqual(new Set(["unavailable"]))
  expect(answers[0]).toMatchObject({ line: 1001, error: { message: expect.stringContaining("Send it again") } })
  expect(answers.at(-1)).toMatchObject({ line: 2001, error: { message: expect.stringContaining("ended here") } })
})

it("A chunk for which the database took too long is tried as well.", async () => {
  const { stored, tries } = await importAll('{"name":"a"}\n'.repeat(2000), (n) => (n === 2 ? LATE : null))
  expect([stored, tries]).toEqual([[1000, 1000], 3])
})

it("A process stores two chunks of one application at once, whatever it sends, and those of others beside them.", async () => {
  const [atWork, most] = [new Map<string, number>(), new Map<string, number>()]
  const slow = async (appId: string) => {
    atWork.set(appId, (atWork.get(appId) ?? 0) + 1)
    most.set(appId, Math.max(most.get(appId) ?? 0, atWork.get(appId)!))
    for (let turns = 0; turns < 20; turns++) await setImmediate()
    atWork.set(appId, atWork.get(appId)! - 1)
  }
  const work = (appId: string) =>
    importAll(
      '{"name":"a"}\n'.repeat(2000),
      () => null,
      appId,
      () => slow(appId)
    )
  const all = await Promise.all([...Array.from({ length: 10 }, () => work("a")), work("b")])
  expect(all.every(({ stored }) => stored.length === 2)).toBe(true)
  expect([...most]).toEqual([
    ["a", 2],
    ["b", 1]
  ])
})

it("A chunk that the database refuses for its contents is not tried again, and the import goes on.", async () => {
  const { lines, stored, tries } = await importAll('{"name":"a"}\n'.repeat(3000), (n) =>
    n === 2 ? broken({ refused: true }) : null
  )
  expect([stored, tries, lines.length]).toEqual([[1000, 1000], 3, 3000])
  expect(JSON.parse(lines[1999]!)).toMatchObject({ line: 2000, error: { code: "unavailable" } })
})

it("Lines that take long to read leave others their turn in between.", async () => {
  let rounds = 0
  const beat = setInterval(() => rounds++, 1)
  const line = `{"zz":[1234567890123456${",[]".repeat(20_000)}]}\n`
  const { lines } = await importAll(line.repeat(100))
  clearInterval(beat)
  expect(lines).toHaveLength(100)
  // One for some ten milliseconds of reading, and not one for all of it.
  expect(rounds).toBeGreaterThan(5)
})
