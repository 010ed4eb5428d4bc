import { Effect, Schema } from "effect"
import type { ApiKeyInfo } from "../../../services/domain/access/Application.ts"
import { CreateApiKey, KEYS_PER_APPLICATION, KeyKind } from "../../../services/domain/access/Application.ts"
import { ApiKeyId } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { issueKey } from "../../../services/engine/access/ApiKeys.ts"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { Keys } from "../../../services/ports/access/Keys.ts"
import { ApiError, notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

const fields = {
  id: ApiKeyId,
  kind: KeyKind.annotate({
    description: "`secret`: full access to the application, for servers. `public`: the public endpoints, for apps."
  }),
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The key's first characters, to tell keys apart." }),
  created_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String).annotate({ description: "To the minute; null before the first use." })
}
const KeyView = Schema.Struct(fields).annotate({ identifier: "ApiKey" })
const NewKeyView = Schema.Struct({
  ...fields,
  key: Schema.NullOr(Schema.String).annotate({
    description: "The key itself, this once. Null when the answer is repeated for an Idempotency-Key: it is not kept."
  })
}).annotate({ identifier: "NewApiKey" })

const show = (key: ApiKeyInfo): typeof KeyView.Type => ({
  id: key.id,
  kind: key.kind,
  name: key.name,
  prefix: key.hint,
  created_at: isoTime(key.createdAt),
  last_used_at: key.lastUsedAt === null ? null : isoTime(key.lastUsedAt)
})

const example = {
  id: ID,
  kind: "secret" as const,
  name: "Billing server",
  prefix: "sk_7Tq2x",
  created_at: NOW,
  last_used_at: null
}

/** The application's own keys. */
export const apiKeyRoutes = Effect.gen(function* () {
  const store = yield* ApplicationStore
  const services = yield* Effect.context<ApplicationStore | Keys>()

  return [
    route({
      method: "GET",
      path: "/api/v1/api-keys",
      access: "secret",
      tag: "Application",
      summary: "List API keys",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of the keys that are not revoked, oldest first.",
        schema: pageOf(KeyView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("api-keys", query, (after, limit) => store.keys(caller.appId, after, limit), show)
    }),
    route({
      method: "POST",
      path: "/api/v1/api-keys",
      access: "secret",
      tag: "Application",
      summary: "Create an API key",
      description: `The key is in this answer and nowhere else: only a hash of it is kept. An application has at most ${KEYS_PER_APPLICATION} keys.`,
      body: { schema: CreateApiKey, name: "CreateApiKey", example: { kind: "secret", name: "Billing server" } },
      success: {
        status: 201,
        description: "The key is good now.",
        schema: NewKeyView,
        example: { ...example, key: "sk_7Tq2x…" },
        kept: (value) => ({ ...value, key: null })
      },
      errors: ["validation_error", "conflict"],
      handler: ({ body, caller }) =>
        issueKey(caller.appId, body).pipe(
          Effect.provideContext(services),
          Effect.map(({ info, key }) => ({ ...show(info), key })),
          Effect.catchTag("TooManyKeys", ({ limit }) =>
            Effect.fail(
              new ApiError(
                "conflict",
                `The application has ${limit} keys, which is the most it may have. Revoke one first.`
              )
            )
          )
        )
    }),
    route({
      method: "DELETE",
      path: "/api/v1/api-keys/:id",
      access: "secret",
      tag: "Application",
      summary: "Revoke an API key",
      description:
        "Within a second no node accepts it any more; it may be the key of this very request. The last secret key is not revoked, for nobody could make another one: create its successor first.",
      success: {
        status: 200,
        description: "The key is revoked.",
        schema: Schema.Struct({ revoked: Schema.Literal(true) }),
        example: { revoked: true }
      },
      errors: ["not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isRevoked = yield* store
          .revokeKey(caller.appId, params.id as ApiKeyId)
          .pipe(
            Effect.catchTag("LastSecretKey", () =>
              Effect.fail(
                new ApiError(
                  "conflict",
                  "This is the application's last secret key. Create its successor first, then revoke it."
                )
              )
            )
          )
        return isRevoked ? { revoked: true as const } : yield* Effect.fail(notFound("API key"))
      })
    })
  ]
})
