import { Console, Effect, Layer, Option, Schedule } from "effect"
import { resolve } from "node:path"
import { createFirstApplication } from "../../services/engine/access/Applications.ts"

/** Of the settings. */
interface Where {
  readonly baseUrl: string
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly registration: "open" | "invite"
}

/** A command as it is typed beside this service: with its data directory, where that is not the one of every command. */
export const commandLine = ({ dataDir, databaseUrl }: Pick<Where, "dataDir" | "databaseUrl">): string => {
  const isFound = databaseUrl !== null || dataDir === resolve(".data")
  const quoted = /^[\w./-]+$/.test(dataDir) ? dataDir : `'${dataDir.replaceAll("'", `'\\''`)}'`
  return `${isFound ? "" : `DATA_DIR=${quoted} `}npm run cli --`
}

/** The first start makes an application, so that the first request can be made, and shows its keys this once. */
export const firstStart = (where: Where) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const first = yield* createFirstApplication("Demo").pipe(
        // The database that was there a moment ago may be restarting.
        Effect.tapError((error) => Effect.logWarning("Waiting for the database", error)),
        Effect.retry({ while: (error) => error._tag === "StoreError", schedule: Schedule.spaced("1 second") })
      )
      if (Option.isNone(first)) return
      const { baseUrl, registration } = where
      const cli = commandLine(where)
      const { appId, identitySecret, organizationId, publicKey, secretKey } = first.value
      yield* Console.log(
        [
          "This is the first start. An application was made; its secrets are shown this once:",
          `  app_id           ${appId}`,
          `  secret_key       ${secretKey}`,
          `  public_key       ${publicKey}`,
          `  identity_secret  ${identitySecret}`,
          `The API is at ${baseUrl}/api/v1, its documentation with examples at ${baseUrl}/docs`,
          registration === "open"
            ? `To sign in, ask for a code by e-mail, or make one: ${cli} user login-code --email you@example.com`
            : `To sign in, make a code (REGISTRATION=invite mails none to who was not invited): ${cli} user login-code --email you@example.com`,
          `Signed in once, to see this application: ${cli} org enrol --org ${organizationId} --email you@example.com --role owner`
        ].join("\n")
      )
    })
  )
