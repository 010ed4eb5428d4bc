import type { Scope } from "effect"
import { Effect } from "effect"
import type { Account } from "./Account.ts"
import { settle } from "./Account.ts"
import type { Base, Ground, GroundOptions } from "./Ground.ts"
import { makeGround } from "./Ground.ts"

/** One kind of fault: what is done, to what, and what it may cost. */
export interface Scenario {
  readonly name: string
  /** What is done, in a few words. */
  readonly what: string
  /** Whether it belongs to the short form as well. */
  readonly isShort: boolean
  /** Only root may do it: mount a file system, make a network. */
  readonly needsRoot: boolean
  readonly run: (base: Base) => Effect.Effect<Account, unknown, Scope.Scope>
}

export interface Under {
  readonly name: string
  readonly what: string
  readonly isShort?: boolean
  readonly needsRoot?: boolean
  /** A customer who sends all the time; unless false. */
  readonly isSteady?: boolean
  /** May prepare servers and disks of its own. */
  readonly ground?: GroundOptions | ((base: Base) => Effect.Effect<GroundOptions, unknown, Scope.Scope>)
}

/** A scenario: a ground with a customer who sends, a fault, and the account. */
export const under = (
  { ground: options, isShort = true, isSteady = true, name, needsRoot = false, what }: Under,
  fault: (ground: Ground) => Effect.Effect<void, unknown, Scope.Scope>
): Scenario => ({
  name,
  what,
  isShort,
  needsRoot,
  run: Effect.fnUntraced(function* (base) {
    const ground = yield* makeGround(base, typeof options === "function" ? yield* options(base) : options)
    if (isSteady) {
      yield* ground.load.start
      yield* ground.untilReceived(ground.devices)
    }
    yield* fault(ground).pipe(Effect.tapCause(() => Effect.sync(() => tell(ground))))
    if (isSteady) yield* ground.load.stop
    const account = yield* settle(ground)
    if (account.problems.length > 0) tell(ground)
    return account
  })
})

/** What the nodes said, for whoever looks for the reason. */
const tell = ({ engines }: Ground): void => {
  for (const { log, name } of engines)
    for (const line of log().slice(-8)) process.stderr.write(`  ${name}: ${line.slice(0, 240)}\n`)
}
