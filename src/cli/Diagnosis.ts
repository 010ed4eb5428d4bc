import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { createServer } from "node:net"
import { WORKER_ENDED } from "../../services/domain/sending/Suspicion.ts"
import { ApplicationStore } from "../../services/ports/access/ApplicationStore.ts"
import type { FailingWebhook, Waiting } from "../../services/ports/operations/BacklogStore.ts"
import { BacklogStore } from "../../services/ports/operations/BacklogStore.ts"
import { CredentialStore } from "../../services/ports/sending/CredentialStore.ts"
import { JobQueue } from "../../services/ports/operations/JobQueue.ts"
import type { CannotListen } from "../http/pipeline/Listening.ts"
import { cannotListen } from "../http/pipeline/Listening.ts"
import type { Environment, SealedOtherwise, Standing } from "../app.ts"
import {
  askWhetherMeant,
  hasMasterKey,
  inspection,
  isBegun,
  lookAtMasterKey,
  makeQueueStreams,
  misspelt,
  queueOf,
  READ_ONLY,
  refusalIn,
  sealedOtherwise,
  settingsIn,
  standing,
  unwritable,
  unwritableMails
} from "../app.ts"

export interface Finding {
  readonly check: string
  readonly isOk: boolean
  /** It works, but perhaps not as it is meant to: the message says how. */
  readonly isWarning: boolean
  readonly message: string
}

type Known = Effect.Success<ReturnType<typeof settingsIn>>

/** What a check found: words alone when all is well. */
type Found = string | { readonly warning: string }

/** Longer than each of the deadlines within, which say more. */
const DIAGNOSIS_TIMEOUT = "30 seconds"

const wordsOf = (error: unknown): string => {
  const { _tag, cause, message } = error as { readonly _tag?: string; readonly cause?: unknown; message?: string }
  if (_tag === "TimeoutError") return "no answer within 30 seconds"
  const said = message !== undefined && message !== "" ? message : cause === undefined ? String(error) : wordsOf(cause)
  // What the database says is behind what the client calls it.
  const refusal = refusalIn(error)
  const words = refusal === null || said.includes(refusal.message) ? said : `${said}: ${refusal.message}`
  const why = unwritable(error)
  if (why !== null) return `${words}. The database takes no writes: ${why}`
  return refusal?.code === "42501"
    ? `${words}. The tables belong to another role, as after a restore by somebody else: docs/operators.md, Backup, has a statement that gives them to the user of DATABASE_URL`
    : words
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

const failingWords = ({ appId, attempts, disabledReason, failures, id }: FailingWebhook): string => {
  const what =
    disabledReason !== null
      ? `is disabled: ${disabledReason}`
      : [
          ...(failures > 0 ? [`failed in its last ${failures} deliveries`] : []),
          ...(attempts > 0 ? [`has deliveries after ${attempts} attempts`] : [])
        ].join(" and ")
  return `${id} of ${appId} ${what}`
}

const webhooks = Effect.map(
  Effect.flatMap(BacklogStore, (store) => store.failingWebhooks),
  (all) =>
    all.length === 0
      ? "none fails"
      : {
          warning: `${all.map(failingWords).join("; ")}. Its receiver is away or refuses them: the deliveries of the webhook say why`
        }
)

/** What has been due for so long is nobody's, or too much. */
const LATE_MS = 60_000

const waiting = Effect.map(
  Effect.flatMap(BacklogStore, (store) => store.read),
  (backlog) => backlog.waiting
)

const runs = Effect.map(waiting, (all) => {
  const { count, oldestMs } = all.find(({ kind }) => kind === "workflow")!
  return oldestMs <= LATE_MS
    ? "no run of a workflow is late"
    : {
        warning: `${count} run${count === 1 ? " of a workflow is" : "s of workflows are"} due, the oldest for ${Math.round(oldestMs / 1000)} seconds: no node with the role workflows is up, or there are too few`
      }
})

const lateWords = ({ count, kind, oldestMs }: Waiting): string => {
  const [what, role] =
    kind === "plan"
      ? ["notifications to plan", "dispatch"]
      : kind === "webhook"
        ? ["events for webhooks", "webhooks"]
        : [`batches for ${kind}`, "dispatch"]
  return `${count} ${what}, the oldest for ${Math.round(oldestMs / 1000)} seconds (role ${role})`
}

const late = Effect.map(waiting, (all) => {
  const found = all.filter(({ kind, oldestMs }) => kind !== "workflow" && oldestMs > LATE_MS)
  return found.length === 0
    ? "nothing has been due for more than a minute"
    : {
        warning: `due: ${found.map(lateWords).join("; ")}. No node with the role is up, there are too few, or a provider or receiver is away`
      }
})

const inWords = (all: ReadonlyArray<SealedOtherwise>): string =>
  all.map(({ count, keyId, what }) => `${count} ${what} (key ${keyId})`).join(", ")

const secrets = Effect.gen(function* () {
  if (!(yield* lookAtMasterKey)) return "nothing is sealed yet; the first start records this key"
  const others = yield* sealedOtherwise
  const lost = others.filter(({ isKnown }) => !isKnown)
  if (lost.length > 0) {
    const message = `sealed with a key that is neither MASTER_KEY nor a line of master.key: ${inWords(lost)}. Put that key back into master.key, or set these anew`
    return yield* Effect.fail(new Error(message))
  }
  return others.length === 0
    ? "opens what this database holds"
    : {
        warning: `opens what this database holds; sealed with a former key, which has to stay in master.key: ${inWords(others)}`
      }
})

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
      ...(suspendedReason === null ? [] : [`${kind} of ${appId} is refused: ${suspendedReason}`])
    ])
    return problems.length === 0
      ? Effect.succeed(`${all.length} can be read, none is refused`)
      : Effect.fail(new Error(problems.join("; ")))
  }
)

const NOT_KEPT = "not kept"
/** Writes a megabyte, and takes it back: a disk that is full, or a server that only reads, answers everything else. */
const writes = Effect.gen(function* () {
  const sql = yield* PgClient
  const trying = Effect.gen(function* () {
    const [row] = yield* sql<{
      readonly is_on: boolean
    }>`SELECT current_setting('transaction_read_only')::boolean AS is_on`
    if (row!.is_on) return yield* Effect.fail(new Error(`are refused: ${READ_ONLY}`))
    yield* sql`CREATE TEMPORARY TABLE heliograph_doctor ON COMMIT DROP AS
      SELECT repeat('x', 1000) AS text FROM generate_series(1, 1000)`.unprepared
    return yield* Effect.fail(NOT_KEPT)
  })
  return yield* Effect.catch(sql.withTransaction(trying), (error) => {
    if (error === NOT_KEPT) return Effect.succeed("are taken")
    // Who may not make temporary tables may write others.
    return refusalIn(error)?.code === "42501"
      ? Effect.succeed("not tried: the role has no right to TEMPORARY")
      : Effect.fail(error)
  })
})

const ofDatabase = (check: Check, isAlone: boolean) =>
  Effect.gen(function* () {
    const now = yield* Effect.timeout(standing, DIAGNOSIS_TIMEOUT)
    if (!(yield* check("database", tables(now))) || now.missing > 0) return
    yield* check("writes", writes)
    if (isAlone) yield* check("nodes", nodes)
    yield* check("secrets", secrets)
    yield* check("credentials", credentials)
    yield* check("totals", totals)
    yield* check("set aside", setAside)
    yield* check("webhooks", webhooks)
    yield* check("workflows", runs)
    yield* check("late work", late)
  })

/** Whether providers of sign-ins can lead back here; null where there are none. */
const redirects = ({ baseUrl, externalSignIn }: Known): Found | null => {
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

/** Networks so wide that nobody is left outside. */
const tooWide = ({ outboundAllowCidrs, trustedProxies }: Known): ReadonlyArray<Found> => {
  const isAll = (networks: Known["trustedProxies"]) => networks.some(({ prefixLength }) => prefixLength === 0)
  return [
    ...(isAll(trustedProxies)
      ? [
          {
            warning:
              "TRUSTED_PROXIES names every address: whoever asks is believed whatever address he says he has, and has no budget of his own. Name those of your load balancers"
          }
        ]
      : []),
    ...(isAll(outboundAllowCidrs)
      ? [
          {
            warning:
              "OUTBOUND_ALLOW_CIDRS names every address: customers' webhooks and credentials lead to all that this machine can reach, its own services and the cloud's metadata as well. Name the private networks that they need"
          }
        ]
      : [])
  ]
}

/** Whether a node could listen where HOST says; at any port, so that one that runs is not in the way. */
const listens = ({ host, port }: Known): Effect.Effect<void, CannotListen> =>
  Effect.callback<void, CannotListen>((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.fail(cannotListen(error, { host, port }))))
    server.listen({ host, port: 0 }, () => server.close(() => resume(Effect.void)))
  })

/** Whether the service's own mails go anywhere; null where they do, or where they are others' business. */
const mails = (known: Known): Effect.Effect<Found | null> =>
  known.smtpUrl !== null || !known.roles.has("api")
    ? Effect.succeed(null)
    : Effect.map(unwritableMails(known), (why) =>
        why === null
          ? null
          : {
              warning: `no SMTP_URL, and DATA_DIR ${known.dataDir} cannot be written: codes by mail would be lost (${why})`
            }
      )

/**
 * Nodes make a stream when they first need it, and the server may have no room for it then, though it takes messages to those
 * that it has. Whether it has, nobody can ask: what streams reserve of the server's own limit is in no answer of NATS.
 */
const streams = (env: Environment) =>
  Effect.map(makeQueueStreams(env), ({ all, isAlone, made }): Found => {
    const words = `all ${all} are there${made === 0 ? "" : `, ${made} of them made just now, as nodes do`}`
    return isAlone
      ? {
          warning: `${words}; NATS_REPLICAS asks for several servers, and this one belongs to no cluster: it refuses to make streams like that. Set NATS_REPLICAS to 1, or name a cluster in NATS_URL`
        }
      : words
  })

/** Looks, and changes nothing but the streams of NATS: it makes neither a file nor a table. Later checks are left out when an earlier one fails. */
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
    for (const found of tooWide(known)) yield* check("settings", Effect.succeed(found))
    const canListen = yield* Effect.result(listens(known))
    if (canListen._tag === "Failure") yield* check("address", Effect.fail(canListen.failure))
    const external = redirects(known)
    if (external !== null) yield* check("external sign-in", Effect.succeed(external))
    const ownMail = yield* mails(known)
    if (ownMail !== null) yield* check("mail", Effect.succeed(ownMail))
    const ping = Effect.flatMap(JobQueue, (service) => service.ping).pipe(
      Effect.as("answers"),
      Effect.provide(queueOf(env))
    )
    const answers = yield* check("queue", ping)
    if (answers && known.natsUrl !== null) yield* check("queue streams", streams(env))
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
