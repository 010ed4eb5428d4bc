import { Effect, Layer, Option } from "effect"
import type { Replay } from "../../../services/domain/sending/DeadLetter.ts"
import { replayObstacle } from "../../../services/domain/sending/DeadLetter.ts"
import { ReplayStore } from "../../../services/ports/sending/ReplayStore.ts"
import { RUNNING, TooManyRunning } from "../../../services/ports/operations/TooManyRunning.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import type { DeadLetterTable } from "./DeadLetterStore.ts"
import type { Outage } from "../Outage.ts"

/** What the API sees of replays. The side that carries them out is left out: to call it is a defect. */
export class ReplayTable {
  readonly rows: Array<Replay> = []
  readonly #letters: DeadLetterTable
  /** Notifications that are cancelled: what is of them does not move. */
  readonly cancelled = new Set<string>()

  constructor(letters: DeadLetterTable) {
    this.#letters = letters
  }

  layer(outage: Outage): Layer.Layer<ReplayStore> {
    return Layer.mock(ReplayStore, {
      one: (appId, id) =>
        outage.run("one", () => {
          const rows = this.#letters.rows
          const at = rows.findIndex((row) => row.id === id && row.appId === appId)
          const letter = rows[at]
          if (letter === undefined || replayObstacle(letter) !== null || this.cancelled.has(letter.notificationId!)) {
            return Option.none()
          }
          rows[at] = { ...letter, replayedAt: Date.now() }
          return Option.some({ appId, provider: letter.provider!, priority: "bulk" as const })
        }),
      start: (appId, id, filter) =>
        Effect.suspend((): Effect.Effect<Replay, TooManyRunning | StoreError> => {
          const running = this.rows.filter((row) => row.appId === appId && row.status === "running")
          if (running.length >= RUNNING) return Effect.fail(new TooManyRunning())
          return outage.run("start", () => {
            const createdAt = Date.now()
            const row: Replay = {
              id,
              appId,
              filter,
              status: "running",
              replayed: 0,
              skipped: 0,
              createdAt,
              completedAt: null
            }
            this.rows.unshift(row)
            return row
          })
        }),
      find: (appId, id) =>
        outage.run("find", () => Option.fromUndefinedOr(this.rows.find((row) => row.appId === appId && row.id === id))),
      list: (appId, before, limit) =>
        outage.run("list", () => {
          const all = this.rows.filter((row) => row.appId === appId && (before === null || row.id < before))
          const items = all.slice(0, limit)
          return { items, next: all.length > limit ? items[limit - 1]!.id : null }
        })
    })
  }
}
