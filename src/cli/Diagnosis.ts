import { Effect, Layer } from "effect"
import { ApplicationStore } from "../../services/ports/ApplicationStore.ts"
import { BacklogStore } from "../../services/ports/BacklogStore.ts"
import { CredentialStore } from "../../services/ports/CredentialStore.ts"
import { JobQueue } from "../../services/ports/JobQueue.ts"
import type { Environment } from "../app.ts"
import { base, commands, queue, settingsIn } from "../app.ts"

export interface Finding {
  readonly check: string
  readonly isOk: boolean
  /** It works, but perhaps not as it is meant to: the message says how. */
  readonly isWarning: boolean
  readonly message: string
}

const DIAGNOSIS_TIMEOUT = "15 seconds"

/** Looks at everything that a process needs, one after the other; later checks are left out when an earlier one fails. */
export const diagnose = (env: Environment): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const findings: Array<Finding> = []
    const check = <A, E>(
      name: string,
      effect: Effect.Effect<A, E>,
      message: (value: A) => string,
      isWarning: (value: A) => boolean = () => false
    ) =>
      effect.pipe(
        Effect.timeout(DIAGNOSIS_TIMEOUT),
        Effect.match({
          onSuccess: (value) => ({ check: name, isOk: true, isWarning: isWarning(value), message: message(value) }),
          onFailure: (error) => ({
            check: name,
            isOk: false,
            isWarning: false,
            message: String((error as Error).message || error)
          })
        }),
        Effect.tap((finding) => Effect.sync(() => findings.push(finding))),
        Effect.map(({ isOk }) => isOk)
      )
    const settings = settingsIn(env)
    const hasSettings = yield* check("settings", settings, ({ databaseUrl, natsUrl, roles }) =>
      [
        `roles ${[...roles].join(", ")}`,
        databaseUrl === null ? "embedded PostgreSQL" : "external PostgreSQL",
        natsUrl === null ? "in-process queue" : "NATS"
      ].join("; ")
    )
    if (!hasSettings) return findings
    const ping = Effect.flatMap(JobQueue, (service) => service.ping).pipe(
      Effect.provide(queue.pipe(Layer.provide(base(env))))
    )
    yield* check("queue", ping, () => "answers")
    const hasDatabase = yield* check(
      "database",
      Effect.flatMap(ApplicationStore, (store) => store.count).pipe(Effect.provide(commands(env))),
      (count) => `answers, up to date, ${count} application${count === 1 ? "" : "s"}`
    )
    if (!hasDatabase) return findings
    if ((yield* Effect.orDie(settings)).natsUrl === null) {
      yield* check(
        "nodes",
        Effect.flatMap(BacklogStore, (store) => store.nodes).pipe(Effect.provide(commands(env))),
        (count) =>
          count > 1
            ? `${count} nodes share this database, and NATS_URL is not set: each does what it accepts, and what the others accept only after a delay`
            : `${count === 0 ? "none" : "one"} at the moment`,
        (count) => count > 1
      )
    }
    const credentials = Effect.flatMap(CredentialStore, (store) => store.health).pipe(
      Effect.provide(commands(env)),
      Effect.flatMap((all) => {
        const problems = all.flatMap(({ appId, held, isReadable, kind }) => [
          ...(isReadable ? [] : [`${kind} of ${appId} cannot be read with this MASTER_KEY`]),
          ...(held === null ? [] : [`${kind} of ${appId} is refused by its provider: ${held}`])
        ])
        return problems.length === 0 ? Effect.succeed(all.length) : Effect.fail(new Error(problems.join("; ")))
      })
    )
    yield* check("credentials", credentials, (count) => `${count} can be read, none is refused`)
    return findings
  })
