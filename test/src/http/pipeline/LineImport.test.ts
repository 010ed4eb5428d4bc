import { Effect, Schema, Stream } from "effect"
import { expect, it } from "vitest"
import type { AuditEntryId } from "../../../../services/domain/Ids.ts"
import { CanWait } from "../../../../services/ports/operations/CanWait.ts"
import { makeLineImport } from "../../../../src/http/pipeline/LineImport.ts"
import { WaitLimiter, waitsOf } from "../../../../src/http/pipeline/WaitLimiter.ts"

it("The rows of an import leave connections of the database to what is more urgent, though they are written after the answer has begun.", async () => {
  const importing = makeLineImport(Schema.Struct({ name: Schema.String }), 1_000)
  const said: Array<boolean> = []
  const call = {
    request: {
      headers: {},
      source: { socket: { bytesRead: 0 }, readableLength: 0, complete: true },
      stream: Stream.make(new TextEncoder().encode('{"name":"a"}\n{"name":"b"}\n'))
    },
    requestId: "r",
    caller: { appId: "a" },
    waits: waitsOf(new WaitLimiter(() => undefined))
  } as unknown as Parameters<typeof importing>[0]
  const store: Parameters<typeof importing>[1] = (rows) =>
    Effect.map(CanWait, (canWait) => {
      said.push(canWait)
      return rows.map((_, n) => ({ id: String(n), created: true }))
    })
  const response = await Effect.runPromise(importing(call, store, Effect.succeed("e" as AuditEntryId)))
  const { stream } = response.body as unknown as { readonly stream: Stream.Stream<Uint8Array> }
  const lines = await Effect.runPromise(Stream.mkString(Stream.decodeText(stream)))
  expect(lines.trim().split("\n")).toHaveLength(2)
  expect(said).toEqual([true])
})
