import { Effect, Option, Schema } from "effect"
import type { Application } from "../../../services/domain/access/Application.ts"
import { IDENTITY_OVERLAP_SECONDS, UpdateApplication } from "../../../services/domain/access/Application.ts"
import { AppId } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { reissueIdentitySecret } from "../../../services/engine/access/ApiKeys.ts"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { Keys } from "../../../services/ports/access/Keys.ts"
import { ApiError } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { route } from "../pipeline/Route.ts"

/** What switching identity verification off means (spec 5.3, 6). */
export const UNVERIFIED =
  "Identity verification is off: whoever has the public key, which is in every app and page, can register devices and read inboxes in the name of any user_id. Treat user ids as public information, or switch it on."

export const ApplicationView = Schema.Struct({
  id: AppId,
  name: Schema.String,
  identity_verification: Schema.Boolean.annotate({
    description: "Whether public requests that claim a user_id need a valid `X-Identity-Hash`."
  }),
  former_identity_secret_until: Schema.NullOr(Schema.String).annotate({
    description: "Until when the identity secret before the present one is good too; null when it is not."
  }),
  warnings: Schema.Array(Schema.String).annotate({ description: "What these options put at risk." }),
  created_at: Schema.String
}).annotate({ identifier: "Application" })

export const showApplication = (application: Application): typeof ApplicationView.Type => ({
  id: application.id,
  name: application.name,
  identity_verification: application.identityVerification,
  former_identity_secret_until:
    application.formerIdentityUntil === null ? null : isoTime(application.formerIdentityUntil),
  warnings: application.identityVerification ? [] : [UNVERIFIED],
  created_at: isoTime(application.createdAt)
})

const example = {
  id: ID,
  name: "Shop",
  identity_verification: true,
  former_identity_secret_until: null,
  warnings: [],
  created_at: NOW
}

const gone = () => Effect.fail(new ApiError("not_found", "The application is gone."))

/** The application of the key: its options and its identity secret. */
export const applicationRoutes = Effect.gen(function* () {
  const store = yield* ApplicationStore
  const services = yield* Effect.context<ApplicationStore | Keys>()

  return [
    route({
      method: "GET",
      path: "/api/v1/application",
      access: "secret",
      tag: "Application",
      summary: "Read the application and its options",
      success: { status: 200, description: "The application of the key.", schema: ApplicationView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller }) {
        const application = yield* store.find(caller.appId)
        return Option.isSome(application) ? showApplication(application.value) : yield* gone()
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/application",
      access: "secret",
      tag: "Application",
      summary: "Change the application's options",
      description:
        "Only the fields that are given change. `identity_verification: false` makes user ids public information; the answer warns about it in `warnings`. Every node follows within a second.",
      body: { schema: UpdateApplication, name: "UpdateApplication", example: { identity_verification: true } },
      success: { status: 200, description: "The application as it is now.", schema: ApplicationView, example },
      errors: ["validation_error", "not_found"],
      handler: Effect.fnUntraced(function* ({ body, caller }) {
        const application = yield* store.update(caller.appId, body)
        return Option.isSome(application) ? showApplication(application.value) : yield* gone()
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/application/identity-secret",
      access: "secret",
      tag: "Application",
      summary: "Issue a new identity secret",
      description:
        "The secret is in this answer and nowhere else. The one before it is void within a second, as a leaked one must be; with `overlap_seconds`, hashes made with it are good for that long, so that servers can change over one by one.",
      body: {
        schema: Schema.Struct({
          overlap_seconds: Schema.optionalKey(
            Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: IDENTITY_OVERLAP_SECONDS }))
          )
        }),
        name: "IssueIdentitySecret",
        example: { overlap_seconds: 3600 }
      },
      success: {
        status: 201,
        description: "The new secret is good now.",
        schema: Schema.Struct({
          identity_secret: Schema.NullOr(Schema.String).annotate({
            description:
              "The secret, this once. Null when the answer is repeated for an Idempotency-Key: it is not kept."
          }),
          former_identity_secret_until: Schema.NullOr(Schema.String)
        }),
        example: { identity_secret: "a long random text", former_identity_secret_until: NOW },
        kept: (value) => ({ ...value, identity_secret: null })
      },
      errors: ["validation_error", "not_found"],
      handler: Effect.fnUntraced(function* ({ body, caller }) {
        const issued = yield* reissueIdentitySecret(caller.appId, (body.overlap_seconds ?? 0) * 1000).pipe(
          Effect.provideContext(services)
        )
        if (Option.isNone(issued)) return yield* gone()
        return {
          identity_secret: issued.value.secret,
          former_identity_secret_until: showApplication(issued.value.application).former_identity_secret_until
        }
      })
    })
  ]
})
