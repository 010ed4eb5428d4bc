import { Effect, Schema, Stream } from "effect"
import { expect, it } from "vitest"
import type { AuditEntryId } from "../../../../services/domain/Ids.ts"
import { CanWait } from "../../../../services/ports/operations/CanWait.ts"
import { makeLineImport } from "../../../../src/http/pipeline/LineImport.ts"
import { WaitLimiter, waitsOf } from "../../../../src/http/pipeline/WaitLimiter.ts"

/** Imports a text of lines; answers each line's result, and what was stored together. */
const importAll = async (text: string) => {
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
    caller: { appId: "a" },
    waits: waitsOf(new WaitLimiter(() => undefined))
  } as unknown as Parameters<typeof importing>[0]
  const store: Parameters<typeof importing>[1] = (rows) =>
    Effect.map(CanWait, (can) => {
      canWait.push(can)
      stored.push(rows.length)
      return rows.map((_, n) => ({ id: String(n), created: true }))
    })
  const response = await Effect.runPromise(importing(call, store, Effect.succeed("e" as AuditEntryId)))
  const { stream } = response.body as unknown as { readonly stream: Stream.Stream<Uint8Array> }
  const lines = await Effect.runPromise(Stream.mkString(Stream.decodeText(stream)))
  return { lines: lines.trim().split("\n"), stored, canWait }
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
