import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node"
import { connect, credsAuthenticator, nkeyAuthenticator, wsconnect } from "@nats-io/transport-node"
import type { Scope } from "effect"
import { Deferred, Effect } from "effect"
import { readFileSync } from "node:fs"
import { makeForks } from "../../services/ports/operations/Forks.ts"
import type { NatsAccess, NatsSignIn } from "../config/NatsAccess.ts"
import { fault } from "./natsFault.ts"
import { explain } from "./ServerInfo.ts"

/**
 * The connection to NATS, which comes and goes: the engine may start before NATS does, and outlives its outages.
 * The states: connecting (at first), up, down (lost, and sought again by the client, for ever), closed.
 */
export interface Connection {
  /** The connection, whether or not it is up at the moment; null before the first one and after the end. */
  readonly current: () => NatsConnection | null
  readonly isUp: () => boolean
  /** Counts how often it came up: whatever was learnt of the server in an earlier epoch may be gone. */
  readonly epoch: () => number
  /** Ends when there was a first connection, or when the time for it is over. */
  readonly started: Effect.Effect<void>
  /** Calls back each time it comes up (at once when it is), until the returned function is called. */
  readonly onUp: (run: (nc: NatsConnection) => void) => () => void
  /** Why it is not up, in words, with the address and no secret. */
  readonly why: () => Error
  /** The same for a failure of this connection. */
  readonly blame: (error: unknown) => Error
  /** Calls back each time it is lost. */
  readonly onDown: (run: () => void) => void
}

const RETRY_MS = 250
const MAX_RETRY_MS = 2000

const NO_ACCESS: NatsAccess = { signIn: null, tls: null }

/** What the client is given to sign in with, and the setting that it comes from. */
const signInOf = (signIn: NatsSignIn): { readonly from: string; readonly secret: Partial<NodeConnectionOptions> } => {
  switch (signIn._tag) {
    case "user":
      return { from: "NATS_USER and NATS_PASSWORD", secret: { user: signIn.user, pass: signIn.password } }
    case "token":
      return { from: "NATS_TOKEN", secret: { token: signIn.token } }
    // Asked at each connection: what was renewed meanwhile is used without a restart.
    case "creds": {
      const read = () => readFileSync(signIn.file)
      return { from: "NATS_CREDS_FILE", secret: { authenticator: (nonce) => credsAuthenticator(read())(nonce) } }
    }
    case "nkey": {
      const seed = () => new TextEncoder().encode(/SU[A-Z2-7]{56}/.exec(readFileSync(signIn.file, "utf8"))?.[0] ?? "")
      return { from: "NATS_NKEY_FILE", secret: { authenticator: (nonce) => nkeyAuthenticator(seed())(nonce) } }
    }
  }
}

/** NATS takes several servers; user and password, or a token, may stand in the first URL that has them. */
export const optionsOf = (urls: string, access: NatsAccess = NO_ACCESS) => {
  const parts = urls.split(",").map((part) => new URL(part.trim()))
  const named = parts.find((url) => url.username !== "")
  const { from, secret } =
    access.signIn === null
      ? { from: "NATS_URL", secret: named === undefined ? {} : credentials(named) }
      : signInOf(access.signIn)
  const servers = parts.map((url) => (url.protocol.startsWith("ws") ? `${url.protocol}//${url.host}` : url.host))
  const tls = access.tls ?? (parts.some(({ protocol }) => protocol === "tls:") ? {} : null)
  return { servers, websocket: parts[0]!.protocol.startsWith("ws"), tls, from, secret }
}

const credentials = (url: URL) => {
  const user = decodeURIComponent(url.username)
  return url.password === "" ? { token: user } : { user, pass: decodeURIComponent(url.password) }
}

export const makeConnection = (
  urls: string,
  timeoutMs: number,
  access?: NatsAccess
): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const options = optionsOf(urls, access)
    const giveUpAt = performance.now() + timeoutMs
    const first = yield* Deferred.make<void>()
    const listeners = new Set<(nc: NatsConnection) => void>()
    const fallen = new Set<() => void>()
    let nc: NatsConnection | null = null
    let up = false
    let epoch = 0
    /** Why there is no connection, whenever there is none. */
    let failure: unknown = Object.assign(new Error("no answer yet"), { code: "ETIMEDOUT" })

    const open = () =>
      (options.websocket ? wsconnect : connect)({
        servers: options.servers,
        name: "heliograph",
        ...options.secret,
        ...(options.tls === null ? {} : { tls: options.tls }),
        timeout: 5000,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        // A wrong password may be a server that is being set up anew: keep asking, as with every other outage.
        ignoreAuthErrorAbort: true,
        // A peer that is frozen or cut off is noticed within about this time twice.
        pingInterval: 10_000,
        maxPingOut: 2
      })

    const blame = (error: unknown) => new Error(fault(options, error), { cause: error })
    const why = () => blame(failure)

    const fall = (): void => {
      if (!up) return
      up = false
      for (const run of fallen) run()
    }

    const rise = (connection: NatsConnection): void => {
      up = true
      failure = new Error("the connection was lost")
      epoch++
      for (const run of listeners) run(connection)
    }

    const fork = yield* makeForks

    /** Follows one connection to its end. The client reconnects by itself; it ends only when it is closed. */
    const follow = (connection: NatsConnection) =>
      Effect.promise(async () => {
        for await (const status of connection.status()) {
          if (status.type === "disconnect") {
            if (up)
              fork(
                Effect.logWarning(
                  "The connection to NATS is lost; still trying. Until then this node does what it accepts itself"
                )
              )
            fall()
          } else if (status.type === "reconnect") {
            rise(connection)
            fork(Effect.logInfo("Connected to NATS again"))
          }
        }
        fall()
      })

    // Before the search begins, so that it is over when this runs: it would open what is closed here again.
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        fall()
        const last = nc
        nc = null
        if (last === null || last.isClosed()) return
        // What was written (the last acknowledgements) goes out first, unless there is nobody to take it.
        await Promise.race([last.flush().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1000))])
        await last.close()
      })
    )

    yield* Effect.gen(function* () {
      let wait = RETRY_MS
      while (true) {
        // Not interruptible, so that a connection that comes about in the last moment is known, and closed.
        const opened = yield* Effect.uninterruptible(
          Effect.tap(Effect.result(Effect.tryPromise({ try: open, catch: (error) => error })), (result) =>
            Effect.sync(() => {
              if (result._tag === "Success") nc = result.success
            })
          )
        )
        if (opened._tag === "Success") {
          wait = RETRY_MS
          rise(opened.success)
          yield* Deferred.succeed(first, undefined)
          yield* Effect.logInfo("Connected to NATS")
          yield* follow(opened.success)
        } else {
          failure = options.websocket
            ? opened.failure
            : yield* Effect.promise(() => explain(options.servers[0]!, opened.failure))
          if (wait === RETRY_MS) yield* Effect.logWarning("NATS does not answer; still trying", why())
          yield* Effect.sleep(wait)
          wait = Math.min(wait * 2, MAX_RETRY_MS)
        }
      }
    }).pipe(Effect.forkScoped)

    return {
      current: () => nc,
      isUp: () => up,
      why,
      blame,
      epoch: () => epoch,
      started: Effect.suspend(() => {
        const left = giveUpAt - performance.now()
        return epoch > 0 || left <= 0 ? Effect.void : Effect.ignore(Effect.timeout(Deferred.await(first), left))
      }),
      onUp: (run) => {
        listeners.add(run)
        if (up && nc !== null) run(nc)
        return () => listeners.delete(run)
      },
      onDown: (run) => void fallen.add(run)
    }
  })
