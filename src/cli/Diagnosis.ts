import { Effect } from "effect"
import { WORKER_ENDED } from "../../services/domain/sending/Suspicion.ts"
import { ApplicationStore } from "../../services/ports/access/ApplicationStore.ts"
import { BacklogStore } from "../../services/ports/operations/BacklogStore.ts"
import { CredentialStore } from "../../services/ports/sending/CredentialStore.ts"
import { JobQueue } from "../../services/ports/operations/JobQueue.ts"
import type { Environment, Standing } from "../app.ts"
import {
  askWhetherMeant,
  hasMasterKey,
  inspection,
  isBegun,
  lookAtMasterKey,
  misspelt,
  queueOf,
  settingsIn,
  standing
} from "../app.ts"

export interface Finding {
  readonly check: string
  readonly isOk: boolean
  /** It works, but perhaps not as it is meant to: the message says how. */
  readonly isWarning: boolean
  readonly message: string
}

/** What a check found: words alone when all is well. */
type Found = string | { readonly warning: string }

/** Longer than each of the deadlines within, which say more. */
const DIAGNOSIS_TIMEOUT = "30 seconds"

const wordsOf = (error: unknown): string => {
  const { _tag, cause, message } = error as { readonly _tag?: string; readonly cause?: unknown; message?: string }
  if (_tag === "TimeoutError") return "no answer within 30 seconds"
  return message !== undefined && message !== "" ? message : cause === undefined ? String(error) : wordsOf(cause)
}

type Check = <E, R>(name: string, effect: Effect.Effect<Found, E, R>) => Effect.Effect<boolean, never, R>

/** Keeps what each check finds. A check answers whether what it looked at is there at all. */
const notebook = () => {
  const findings: Array<Finding> = []
  const check: Check = (name, effect) =>
    effect.pipe(
      Effect.timeout(DIAGNOSIS_TIMEOUT),
      Effect.match({
        onSuccess: (found) =>
          typeof found === "string"
            ? { check: name, isOk: true, isWarning: false, message: found }
            : { check: name, isOk: true, isWarning: true, message: found.warning },
        onFailure: (error) => ({ check: name, isOk: false, isWarning: false, message: wordsOf(error) })
      }),
      Effect.tap((finding) => Effect.sync(() => findings.push(finding))),
      Effect.map(({ isOk }) => isOk)
    )
  return { check, findings }
}

const tables = Effect.fnUntraced(function* ({ applied, missing }: Standing) {
  if (applied === 0) return { warning: "answers, and is empty: the first start, or `migrate`, makes its tables" }
  if (missing > 0)
    return { warning: `answers, and lacks ${missing} migrations: the next start, or \`migrate\`, makes them` }
  const count = yield* Effect.flatMap(ApplicationStore, (store) => store.count)
  return `answers, up to date, ${count} application${count === 1 ? "" : "s"}`
})

const nodes = Effect.map(
  Effect.flatMap(BacklogStore, (store) => store.nodes),
  (count) =>
    count > 1
      ? {
          warning: `${count} nodes share this database, and NATS_URL is not set: each does what it accepts, and what the others accept only after a delay`
        }
      : `${count === 0 ? "none" : "one"} at the moment`
)

const setAside = Effect.map(
  Effect.flatMap(BacklogStore, (store) => store.setAside),
  (count) =>
    count === 0
      ? "nothing is set aside"
      : {
          warning: `${count} recipient${count === 1 ? " was" : "s were"} set aside as ${WORKER_ENDED}: the processes that sent ended; the log says when, and dead letters with this error can be replayed`
        }
)

/** Runs that have been due for so long are nobody's, or too many. */
const LATE_MS = 60_000

const runs = Effect.map(
  Effect.flatMap(BacklogStore, (store) => store.read),
  ({ waiting }) => {
    const { count, oldestMs } = waiting.find(({ kind }) => kind === "workflow")!
    return oldestMs <= LATE_MS
      ? "no run of a workflow is late"
      : {
          warning: `${count} run${count === 1 ? " of a workflow is" : "s of workflows are"} due, the oldest for ${Math.round(oldestMs / 1000)} seconds: no node with the role workflows is up, or there are too few`
        }
  }
)

const secrets = Effect.map(lookAtMasterKey, (isKnown) =>
  isKnown ? "opens what this database holds" : "nothing is sealed yet; the first start records this key"
)

const totals = Effect.flatMap(
  Effect.flatMap(BacklogStore, (store) => store.unreconciled),
  (ids) =>
    ids.length === 0
      ? Effect.succeed("reconcile in the newest notifications")
      : Effect.fail(
          new Error(`plans, counts and results differ in ${ids.slice(0, 5).join(", ")}: rows were lost or changed`)
        )
)

const credentials = Effect.flatMap(
  Effect.flatMap(CredentialStore, (store) => store.health),
  (all) => {
    const problems = all.flatMap(({ appId, isReadable, kind, suspendedReason }) => [
      ...(isReadable ? [] : [`${kind} of ${appId} cannot be read with this MASTER_KEY`]),
      ...(suspendedReason === null ? [] : [`${kind} of ${appId} is refused by its provider: ${suspendedReason}`])
    ])
    return problems.length === 0
      ? Effect.succeed(`${all.length} can be read, none is refused`)
      : Effect.fail(new Error(problems.join("; ")))
  }
)

const ofDatabase = (check: Check, isAlone: boolean) =>
  Effect.gen(function* () {
    const now = yield* Effect.timeout(standing, DIAGNOSIS_TIMEOUT)
    if (!(yield* check("database", tables(now))) || now.missing > 0) return
    if (isAlone) yield* check("nodes", nodes)
    yield* check("secrets", secrets)
    yield* check("credentials", credentials)
    yield* check("totals", totals)
    yield* check("set aside", setAside)
    yield* check("workflows", runs)
  })

/** Whether providers of sign-ins can lead back here; null where there are none. */
const redirects = ({ baseUrl, externalSignIn }: Effect.Success<ReturnType<typeof settingsIn>>): Found | null => {
  const names = Object.entries(externalSignIn).flatMap(([name, registered]) => (registered === null ? [] : [name]))
  if (names.length === 0) return null
  const { hostname, protocol } = new URL(baseUrl)
  const listed = names.join(" and ")
  // Which browsers and providers take without TLS, for development.
  return protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1"
    ? `by ${listed}, back to ${baseUrl}/api/auth/oauth/<provider>/callback`
    : {
        warning: `by ${listed}, and BASE_URL is ${baseUrl}: providers lead back to HTTPS alone. Set it to the HTTPS address that people use`
      }
}

/** Looks, and changes nothing: it makes neither a file nor a table. Later checks are left out when an earlier one fails. */
export const diagnose = (env: Environment): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const { check, findings } = notebook()
    const settings = settingsIn(env)
    const hasSettings = yield* check(
      "settings",
      Effect.map(settings, ({ databaseUrl, natsUrl, roles }) =>
        [
          `roles ${[...roles].join(", ")}`,
          databaseUrl === null ? "embedded PostgreSQL" : "external PostgreSQL",
          natsUrl === null ? "in-process queue" : "NATS"
        ].join("; ")
      )
    )
    for (const one of misspelt(env)) yield* check("settings", Effect.succeed({ warning: askWhetherMeant(one) }))
    if (!hasSettings) return findings
    const known = yield* Effect.orDie(settings)
    const external = redirects(known)
    if (external !== null) yield* check("external sign-in", Effect.succeed(external))
    const ping = Effect.flatMap(JobQueue, (service) => service.ping).pipe(
      Effect.as("answers"),
      Effect.provide(queueOf(env))
    )
    yield* check("queue", ping)
    if (!isBegun(known)) {
      // Before anything that needs the master key, which would be made as well.
      const warning = `There is none yet in ${known.dataDir}; the first \`npm start\` makes it`
      yield* check("database", Effect.succeed({ warning }))
      return findings
    }
    if (!hasMasterKey(known)) {
      const lost = `${known.dataDir} has a database and no master.key: put the file back, or give MASTER_KEY`
      yield* check("secrets", Effect.fail(new Error(lost)))
      return findings
    }
    yield* ofDatabase(check, known.natsUrl === null).pipe(
      Effect.provide(inspection(env)),
      Effect.catch((error) => check("database", Effect.fail(error)))
    )
    return findings
  })
