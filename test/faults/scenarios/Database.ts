import { Effect } from "effect"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { untilBack, untilMissed } from "../Engine.ts"

/**
 * The database goes away and comes back. What was sent meanwhile is written by who sent it: after its start the server
 * leaves every lease of before to its holder for a while, however long it was away.
 */
export const database: ReadonlyArray<Scenario> = [
  under(
    {
      name: "postgres-kill",
      what: "PostgreSQL is killed with all its processes and started at once, again and again: nothing goes twice"
    },
    Effect.fnUntraced(function* (ground) {
      for (let i = 0; i < (ground.base.isLong ? 10 : 2); i++) {
        yield* ground.untilReceived(ground.devices / 2)
        yield* ground.postgres.kill
        yield* ground.postgres.start
        yield* untilBack(ground.engines)
      }
    })
  ),
  under(
    {
      name: "postgres-away",
      what: "PostgreSQL is killed, and stays away until every node says so, longer than the leases: nothing goes twice"
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices / 2)
      yield* ground.postgres.kill
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
