import type { Scope } from "effect"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"

/**
 * A network of its own for a node, joined to everybody else by one cable. While the cable is out, packets vanish: no
 * connection is refused or reset, as when a switch fails. Only root may make one.
 */
export interface Network {
  /** Everybody else, seen from inside. */
  readonly outside: string
  /** The node, seen from everywhere else. */
  readonly inside: string
  /** What to put in front of a command that is to run inside. */
  readonly through: ReadonlyArray<string>
  readonly cut: Effect.Effect<void>
  readonly mend: Effect.Effect<void>
}

const ip = (...args: ReadonlyArray<string>) => void execFileSync("ip", args)

export const makeNetwork: Effect.Effect<Network, never, Scope.Scope> = Effect.gen(function* () {
  // Two runs at once, or one that was killed, have other numbers.
  const number = process.pid % 250
  const [name, near, far] = [`heliograph-${number}`, `hg${number}a`, `hg${number}b`]
  const [outside, inside] = [`10.231.${number}.1`, `10.231.${number}.2`]
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      ip("netns", "add", name)
      ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
      ip("address", "add", `${outside}/30`, "dev", near)
      ip("link", "set", near, "up")
      ip("-n", name, "address", "add", `${inside}/30`, "dev", far)
      ip("-n", name, "link", "set", far, "up")
      ip("-n", name, "link", "set", "lo", "up")
    }),
    // The cable goes with it.
    () => Effect.sync(() => ip("netns", "delete", name))
  )
  return {
    outside,
    inside,
    through: ["ip", "netns", "exec", name],
    cut: Effect.sync(() => ip("link", "set", near, "down")),
    mend: Effect.sync(() => ip("link", "set", near, "up"))
  }
})
