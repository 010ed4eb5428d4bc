import { Layer } from "effect"
import type { Begun, KeptAnswer, KeyClaim, Settlement } from "../../../services/ports/access/IdempotencyStore.ts"
import { IdempotencyStore } from "../../../services/ports/access/IdempotencyStore.ts"
import type { Outage } from "../Outage.ts"

/** Idempotency keys in memory, without their ends. */
export class KeyTable {
  readonly rows = new Map<string, { fingerprint: string; holder: string; answer: KeptAnswer | null }>()

  readonly #name = ({ appId, key, route }: KeyClaim) => `${appId} ${route} ${key}`

  settle({ answer, claim }: Settlement): void {
    const row = this.rows.get(this.#name(claim))
    if (row?.holder === claim.holder) row.answer ??= answer
  }

  layer(outage: Outage): Layer.Layer<IdempotencyStore> {
    return Layer.succeed(IdempotencyStore, {
      begin: (claim, bytes) =>
        outage.run("begin", (): Begun => {
          const fingerprint = bytes.toHex()
          const row = this.rows.get(this.#name(claim))
          if (row === undefined) {
            this.rows.set(this.#name(claim), { fingerprint, holder: claim.holder, answer: null })
            return { _tag: "Taken" }
          }
          if (row.fingerprint !== fingerprint) return { _tag: "Mismatch" }
          return row.answer === null
            ? { _tag: "InFlight" }
            : { _tag: "Answered", holder: row.holder, answer: row.answer }
        }),
      settle: (settlement) => outage.run("settle", () => this.settle(settlement)),
      abandon: (claim) =>
        outage.run("abandon", () => {
          const row = this.rows.get(this.#name(claim))
          if (row?.holder === claim.holder && row.answer === null) this.rows.delete(this.#name(claim))
        })
    })
  }
}
