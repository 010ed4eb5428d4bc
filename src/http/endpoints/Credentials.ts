import { Effect, Option, Schema } from "effect"
import {
  ApnsCredential,
  FcmCredential,
  CredentialKind,
  SmtpCredential,
  WebPushCredential,
  FcmServiceAccountFile,
  wrapServiceAccount
} from "../../../services/domain/sending/Credential.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import type { CredentialInput, InvalidCredential } from "../../../services/engine/sending/Credentials.ts"
import { CredentialChecks } from "../../../services/engine/sending/CredentialChecks.ts"
import { Credentials } from "../../../services/engine/sending/Credentials.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import type { CredentialSummary } from "../../../services/ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../../services/ports/sending/CredentialStore.ts"
import { ApiError, invalid } from "../pipeline/ApiError.ts"
import { NOW } from "../docs/Examples.ts"
import type { Route } from "../pipeline/Route.ts"
import { within } from "../pipeline/WaitLimiter.ts"
import { route } from "../pipeline/Route.ts"

const CredentialView = Schema.Struct({
  kind: CredentialKind,
  settings: Schema.Record(Schema.String, Schema.Json).annotate({ description: "What was set, without its secrets." }),
  suspended_reason: Schema.NullOr(Schema.String).annotate({
    description:
      "Why the provider refuses this credential; null while it is good. Nothing is sent with one that is suspended."
  }),
  updated_at: Schema.String
}).annotate({ identifier: "Credential" })

const CheckView = Schema.Struct({
  kind: CredentialKind,
  status: Schema.Literals(["accepted", "refused", "unreachable", "unasked"]).annotate({
    description:
      "`accepted`: the provider knows the sender. `refused`: it takes no messages with this credential. `unreachable`: it gave no answer that says either. `unasked`: there is nobody to ask, as for Web Push, whose services are asked with a browser's subscription; what can be judged without them is right."
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why, in words; null when it was accepted." }),
  checked_at: Schema.String
}).annotate({ identifier: "CredentialCheck" })

/** What is asked of each provider, and what its answer leaves open. */
const ASKED: Readonly<Record<CredentialKind, string>> = {
  apns: "APNs is sent a message for a device that does not exist: its answer shows whether it takes the key. Whether `bundle_id` is your app's shows with the first real device.",
  fcm: "Google is asked for an access token, and FCM sent a message for a device that does not exist: its answer shows whether the service account may send for the project.",
  webpush:
    "Nobody is asked: push services answer to browsers' subscriptions alone. Looked at is whether the keys are a pair, and whether `subject` names a host on the internet, without which Apple refuses all messages; then the answer is `unasked`, else `refused` with what to mend. One that push services have refused stays suspended until it is replaced.",
  smtp: "A session with the mail server is opened, encrypted and signed in to as for mail; none is sent. Whether the server takes the sender shows with the first mail."
}

const withoutPassword = (url: string): string => {
  if (!URL.canParse(url)) return ""
  const shown = new URL(url)
  shown.password = ""
  return shown.toString()
}

/** Drops what must not be shown, at any depth, whatever the store handed out. */
const shown = (settings: Readonly<Record<string, unknown>>): Record<string, Schema.Json> =>
  Object.fromEntries(
    Object.entries(settings)
      .filter(([name]) => !/private_key|password|secret/.test(name))
      .map(([name, value]) => [
        name,
        name === "url" && typeof value === "string"
          ? withoutPassword(value)
          : typeof value === "object" && value !== null && !Array.isArray(value)
            ? shown(value as Readonly<Record<string, unknown>>)
            : (value as Schema.Json)
      ])
  )

const show = (summary: CredentialSummary): typeof CredentialView.Type => ({
  kind: summary.kind,
  settings: shown(summary.settings),
  suspended_reason: summary.suspendedReason,
  updated_at: isoTime(summary.updatedAt)
})

const NAMES = { apns: "APNs", fcm: "FCM", webpush: "Web Push", smtp: "e-mail" } as const

const missing = (kind: CredentialKind) =>
  new ApiError(
    "not_found",
    `The application has no ${NAMES[kind]} credential. Set it with PUT /api/v1/credentials/${kind}.`
  )

const PEM = "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n"

/** What a PUT of each kind takes, and an answer to it. */
const KINDS = [
  {
    kind: "apns",
    schema: ApnsCredential,
    name: "ApnsCredential",
    description: "Token-based authentication with the .p8 key from Apple's developer account; the example has none.",
    example: { team_id: "ABCDE12345", key_id: "FGHIJ67890", bundle_id: "com.example.app" },
    secrets: { private_key: PEM }
  },
  {
    kind: "fcm",
    schema: FcmCredential,
    name: "FcmCredential",
    description:
      "The service account's JSON file, as Google hands it out, in the field `service_account`; or the file itself as the body. The example has no key.",
    unify: wrapServiceAccount,
    other: { schema: FcmServiceAccountFile, name: "FcmServiceAccountFile" },
    example: { service_account: { project_id: "example", client_email: "push@example.iam.gserviceaccount.com" } },
    secrets: {
      service_account: {
        project_id: "example",
        client_email: "push@example.iam.gserviceaccount.com",
        private_key: PEM
      }
    }
  },
  {
    kind: "webpush",
    schema: WebPushCredential,
    name: "WebPushCredential",
    description:
      "The contact for push services. Without keys a VAPID pair is generated, or the present one kept: browsers have subscribed with it.",
    example: { subject: "mailto:push@example.com" },
    secrets: {}
  },
  {
    kind: "smtp",
    schema: SmtpCredential,
    name: "SmtpCredential",
    description:
      "The mail server with its user and password, and the sender's address. Its name is looked up: that of the example is nobody's.",
    example: { url: "smtps://user@mail.example.com:465", from: "Example <news@example.com>" },
    secrets: { url: "smtps://user:password@mail.example.com:465" }
  }
] as const

/** Provider credentials: written whole, shown without their secrets. */
export const credentialRoutes = Effect.gen(function* () {
  const credentials = yield* Credentials
  const checks = yield* CredentialChecks
  const log = yield* AuditLog
  const store = yield* CredentialStore

  const listed: ReadonlyArray<Route> = [
    route({
      method: "GET",
      path: "/api/v1/credentials",
      access: "secret",
      tag: "Credentials",
      summary: "List provider credentials",
      success: {
        status: 200,
        description: "The credentials that are set.",
        schema: Schema.Struct({ data: Schema.Array(CredentialView), next_cursor: Schema.Null }),
        example: {
          data: [{ kind: "apns", settings: KINDS[0].example, suspended_reason: null, updated_at: NOW }],
          next_cursor: null
        }
      },
      handler: ({ caller }) =>
        Effect.map(store.summaries(caller.appId), (summaries) => ({ data: summaries.map(show), next_cursor: null }))
    }),
    route({
      method: "GET",
      path: "/api/v1/public/apps/:id/vapid",
      access: "public",
      tag: "Devices",
      summary: "Read the key that browsers subscribe with",
      success: {
        status: 200,
        description: "The application's public VAPID key, base64url.",
        schema: Schema.Struct({ public_key: Schema.String }),
        example: {
          public_key: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        }
      },
      errors: ["unauthorized", "not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        if (params.id !== caller.appId) {
          return yield* Effect.fail(new ApiError("unauthorized", "This key belongs to another application."))
        }
        const credential = yield* store.find(caller.appId, "webpush")
        if (Option.isNone(credential) || credential.value.config.kind !== "webpush") {
          return yield* Effect.fail(missing("webpush"))
        }
        return { public_key: credential.value.config.value.public_key }
      })
    })
  ]

  const ofKind = ({
    kind,
    schema,
    name,
    description,
    example,
    secrets,
    ...more
  }: (typeof KINDS)[number]): ReadonlyArray<Route> => {
    const path = `/api/v1/credentials/${kind}` as const
    const success = {
      status: 200,
      description: "The credential, without its secrets.",
      schema: CredentialView,
      example: { kind, settings: example, suspended_reason: null, updated_at: NOW }
    } as const
    return [
      route({
        method: "PUT",
        path,
        access: "secret",
        tag: "Credentials",
        summary: `Set the ${NAMES[kind]} credential`,
        description,
        body: {
          schema: schema as Schema.ConstraintDecoder<unknown>,
          name,
          example: { ...example, ...secrets },
          ...more
        },
        success,
        errors: ["validation_error"],
        // Names are looked up for all but web push, whose keys are.
        hasDeadline: kind !== "webpush",
        handler: ({ caller, body, waits }) =>
          credentials.complete(caller.appId, { kind, value: body } as CredentialInput).pipe(
            Effect.flatMap((config) => within(waits, credentials.keep(caller.appId, config))),
            Effect.map(show),
            Effect.catchTag("InvalidCredential", ({ field, message }: InvalidCredential) =>
              Effect.fail(invalid([{ field, message }]))
            )
          )
      }),
      route({
        method: "GET",
        path,
        access: "secret",
        tag: "Credentials",
        summary: `Read the ${NAMES[kind]} credential`,
        success,
        errors: ["not_found"],
        handler: Effect.fnUntraced(function* ({ caller }) {
          const found = (yield* store.summaries(caller.appId)).find((summary) => summary.kind === kind)
          return found === undefined ? yield* Effect.fail(missing(kind)) : show(found)
        })
      }),
      route({
        method: "POST",
        path: `${path}/check`,
        access: "secret",
        tag: "Credentials",
        summary: `Check the ${NAMES[kind]} credential`,
        description: `${ASKED[kind]} The answer comes when the provider has answered, after 25 seconds at most. A credential that was suspended and is accepted now is good again, and what waited for it goes out; one that is refused for good is suspended.`,
        success: {
          status: 200,
          description: "What came of it.",
          schema: CheckView,
          example: { kind, status: kind === "webpush" ? "unasked" : "accepted", reason: null, checked_at: NOW }
        },
        errors: ["not_found"],
        hasDeadline: true,
        handler: Effect.fnUntraced(function* ({ caller, waits }) {
          const check = yield* within(waits, checks.prepare(caller.appId, kind))
          if (Option.isNone(check)) return yield* Effect.fail(missing(kind))
          yield* within(waits, log.record(caller.appId, { action: "credential.checked", target: kind }))
          const { checkedAt, reason, status } = yield* check.value
          return { kind, status, reason, checked_at: isoTime(checkedAt) }
        })
      }),
      route({
        method: "DELETE",
        path,
        access: "secret",
        tag: "Credentials",
        summary: `Remove the ${NAMES[kind]} credential`,
        success: {
          status: 200,
          description: "The credential is gone.",
          schema: Schema.Struct({ deleted: Schema.Literal(true) }),
          example: { deleted: true }
        },
        errors: ["not_found"],
        handler: Effect.fnUntraced(function* ({ caller }) {
          const isGone = yield* store.remove(caller.appId, kind)
          return isGone ? { deleted: true as const } : yield* Effect.fail(missing(kind))
        })
      })
    ]
  }

  return [...listed, ...KINDS.flatMap(ofKind)]
})
