import { Effect } from "effect"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { untilBack, untilMissed } from "../Engine.ts"

const LEASE_MS = 20_000
/**
 * A lease is prolonged when a third of it has passed, and what could not be written is tried again every half a
 * second: after an outage of so long all that was in hand is written before anybody else may take it. A second is for
 * the writing.
 */
const OUTLASTED_MS = (LEASE_MS * 2) / 3 - 1500

/** The database goes away and comes back. */
export const database: ReadonlyArray<Scenario> = [
  under(
    {
      name: "postgres-kill",
      what: "PostgreSQL is killed with all its processes, and is back within the leases: nothing goes twice",
      ground: { env: () => ({ LEASE_SECONDS: String(LEASE_MS / 1000) }) }
    },
    Effect.fnUntraced(function* (ground) {
      for (let i = 0; i < (ground.base.isLong ? 10 : 2); i++) {
        yield* ground.untilReceived(ground.devices / 2)
        const inHand = yield* ground.inHand
        const killedAt = performance.now()
        yield* ground.postgres.kill
        yield* ground.postgres.start
        yield* untilBack(ground.engines)
        const outage = performance.now() - killedAt
        // A machine that is busy with other things may take longer than that.
        if (outage > OUTLASTED_MS) ground.mayRepeat(inHand)
      }
    })
  ),
  under(
    { name: "postgres-away", what: "PostgreSQL is killed, and stays away until every node says so" },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices / 2)
      const inHand = yield* ground.inHand
      yield* ground.postgres.kill
      ground.mayRepeat(inHand)
      yield* untilMissed(ground.engines)
      yield* ground.postgres.start
      yield* untilBack(ground.engines)
    })
  ),
  under(
    {
      name: "postgres-frozen",
      what: "PostgreSQL answers nothing any more, with its connections open, and then goes on",
      isShort: false
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices / 2)
      const inHand = yield* ground.inHand
      yield* ground.postgres.freeze
      ground.mayRepeat(inHand)
      yield* untilMissed(ground.engines)
      yield* ground.postgres.thaw
      yield* untilBack(ground.engines)
    })
  )
]
