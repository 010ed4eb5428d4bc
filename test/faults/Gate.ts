import type { Scope } from "effect"
import { Effect } from "effect"
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { createConnection, createServer } from "node:net"

/**
 * A TCP proxy between a node and one of its neighbours. Its states:
 *
 *   open     passes everything on
 *   hung     passes nothing on, in either direction; connections stay, and new ones are accepted
 *   deaf     requests pass, answers do not: what was asked is done, and nobody learns of it
 *   shut     refuses new connections; those that there were are cut
 */
export type GateState = "open" | "hung" | "deaf" | "shut"

export interface Gate {
  readonly port: number
  readonly set: (state: GateState) => Effect.Effect<void>
  /** Resets every connection; new ones are as the state says. */
  readonly cut: Effect.Effect<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

export const makeGate = (
  target: { readonly port: number; readonly host?: string },
  state: GateState = "open"
): Effect.Effect<Gate, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pairs = new Set<Pair>()
    let now = state

    const apply = ({ client, server }: Pair): void => {
      if (now === "hung") client.pause()
      else client.resume()
      if (now === "hung" || now === "deaf") server.pause()
      else server.resume()
    }
    const drop = (pair: Pair): void => {
      pairs.delete(pair)
      for (const socket of [pair.client, pair.server]) {
        if (socket.destroyed) continue
        // The first asks for a reset and lets what was written go out before; the second does not wait for that.
        socket.resetAndDestroy()
        socket.destroy()
      }
    }
    const relay = (from: Socket, to: Socket, pair: Pair): void => {
      from.on("data", (chunk) => {
        if (!to.write(chunk)) from.pause()
      })
      to.on("drain", () => apply(pair))
      from.on("end", () => to.end())
      from.on("error", () => drop(pair))
      from.on("close", () => drop(pair))
    }
    const gate = createServer((client) => {
      if (now === "shut") return void client.resetAndDestroy()
      const pair = { client, server: createConnection(target.port, target.host ?? "127.0.0.1") }
      pairs.add(pair)
      for (const socket of [pair.client, pair.server]) socket.setNoDelay(true)
      relay(pair.client, pair.server, pair)
      relay(pair.server, pair.client, pair)
      apply(pair)
    })
    const cut = Effect.sync(() => pairs.forEach(drop))

    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        gate.listen(0, "127.0.0.1")
        await once(gate, "listening")
      }),
      () =>
        Effect.sync(() => {
          gate.close()
          pairs.forEach(drop)
        })
    )
    return {
      port: (gate.address() as AddressInfo).port,
      cut,
      set: (state) =>
        Effect.sync(() => {
          now = state
          if (state === "shut") pairs.forEach(drop)
          else pairs.forEach(apply)
        })
    }
  })
