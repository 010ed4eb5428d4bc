import { Console, Effect, Layer, Option, Schedule } from "effect"
import { createFirstApplication } from "../../services/engine/access/Applications.ts"

/** The first start makes an application, so that the first request can be made, and shows its keys this once. */
export const firstStart = (baseUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const first = yield* createFirstApplication("Demo").pipe(
        // The database that was there a moment ago may be restarting.
        Effect.tapError((error) => Effect.logWarning("Waiting for the database", error)),
        Effect.retry({ while: (error) => error._tag === "StoreError", schedule: Schedule.spaced("1 second") })
      )
      if (Option.isNone(first)) return
      const { appId, identitySecret, organizationId, publicKey, secretKey } = first.value
      yield* Console.log(
        [
          "This is the first start. An application was made; its secrets are shown this once:",
          `  app_id           ${appId}`,
          `  secret_key       ${secretKey}`,
          `  public_key       ${publicKey}`,
          `  identity_secret  ${identitySecret}`,
          `The API is at ${baseUrl}/api/v1, its documentation with examples at ${baseUrl}/docs`,
          "To sign in, ask for a code by e-mail, or make one: npm run cli -- user login-code --email you@example.com",
          `To see this application then: npm run cli -- org enrol --org ${organizationId} --email you@example.com --role owner`
        ].join("\n")
      )
    })
  )
