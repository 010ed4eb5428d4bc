import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { WorkflowVersionId } from "../../../../services/domain/Ids.ts"
import { Programs } from "../../../../services/engine/workflows/Programs.ts"
import type { WorkflowVersion } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"

/** Versions that say so much each, and which of them were read. */
const programsOf = (characters: number) => {
  const read: Array<string> = []
  const version = (id: WorkflowVersionId) =>
    Effect.sync(() => {
      read.push(id)
      const steps = [{ key: "a", type: "SEND", channels: ["email"], content: { html: "x".repeat(characters) } }]
      return Option.some({ definition: { steps } } as unknown as WorkflowVersion)
    })
  const layer = Programs.layer.pipe(Layer.provide(Layer.mock(WorkflowStore, { version })))
  return { read, layer }
}
const ids = (count: number) => Array.from({ length: count }, (_, i) => `${i}` as WorkflowVersionId)

it.effect("Versions of workflows are read once, however often they are asked for.", () => {
  const { layer, read } = programsOf(100)
  return Effect.gen(function* () {
    const { of } = yield* Programs
    yield* Effect.forEach([...ids(100), ...ids(100)], of)
    expect(read).toEqual(ids(100))
  }).pipe(Effect.provide(layer))
})

it.effect("Those that are long are kept as far as there is room, the last ones that were read.", () => {
  const { layer, read } = programsOf(1_000_000)
  return Effect.gen(function* () {
    const { of } = yield* Programs
    yield* Effect.forEach(ids(40), of)
    read.length = 0
    yield* Effect.forEach(ids(40).toReversed(), of)
    expect(read.length).toBeGreaterThan(20)
    expect(read[0]).toBe("24")
  }).pipe(Effect.provide(layer))
})
