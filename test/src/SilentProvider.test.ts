import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually, makeSystem } from "../System.ts"

it.live("sends the rest of a mailing while a provider leaves one message in a hundred without an answer", () =>
  Effect.gen(function* () {
    // A batch at a time, and with 8 of them one after the other that are silent for half a minute each.
    const system = yield* makeSystem({ DISPATCH_CONCURRENCY: "1", BATCH_SIZE: "100", DRAIN_TIMEOUT: "1" })
    const { fcm } = system.fleet
    yield* system.importDevices(2000)
    fcm.control.set({ do: "hang", every: 100 })
    const id = yield* system.send({ to: { platforms: ["android"] }, content: { title: "Title", body: "Body" } })
    const { accepted } = yield* eventually(
      Effect.sync(() => fcm.stats()),
      (stats) => stats.accepted >= 792
    )
    expect(accepted).toBe(792)
    // Those are waited for all the time: nobody has given them up, and they hold up nobody.
    const shown = yield* system.until(id, ({ counts }) => counts.sent === 792)
    expect(shown.counts).toMatchObject({ accepted: 800, pending: 8, sent: 792, failed: 0 })
  }).pipe(Effect.scoped)
)
