import { Cache, Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import type { ApiKey, KeyKind } from "../../domain/access/Application.ts"
import type { ApiKeyId } from "../../domain/Ids.ts"
import { AppId } from "../../domain/Ids.ts"
import { ApplicationStore } from "../../ports/access/ApplicationStore.ts"
import { Keys } from "../../ports/access/Keys.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { elapsedBy } from "../operations/Elapsed.ts"

/** No key, or none that is known. The message says what to send. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", { message: Schema.String }) {}

/** A good key that may not do this, and whose it is. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  appId: AppId,
  message: Schema.String
}) {}

/** A claimed user_id without proof (spec 5.3). */
export class IdentityUnverified extends Schema.TaggedError<IdentityUnverified>()("IdentityUnverified", {
  message: Schema.String
}) {}

/** Who sends a request, as far as a key tells. */
export interface Caller {
  /** Null where a person asks, for an application of theirs. */
  readonly keyId: ApiKeyId | null
  readonly appId: AppId
  readonly kind: KeyKind
}

/** `secret`: servers only. `public`: the surface of spec 4.1, for which a secret key is good too. */
export type Surface = "secret" | "public"

/**
 * Answers about keys and applications are remembered for less than the second within which a revocation has to reach
 * every node, "no such key" included; the rest of the second is for the query that was under way.
 */
const REMEMBER_MS = 800
const REMEMBERED = 10_000
/** How often it is written down which keys are in use. */
const USE_EVERY = "1 minute"

const EXPECTED = {
  secret: "Send a secret key in the header `Authorization: ApiKey sk_…`.",
  public: "Send a public key in the header `Authorization: Public pk_…`, or a secret key as `ApiKey sk_…`."
}

/** For whoever is signed in, and meant the other API. */
const SESSIONS = "Sessions are good for GraphQL alone (POST /api/graphql)."

/** A session's token under any scheme word, or what looks like one: a JSON Web Token. */
export const LIKE_A_TOKEN = /^[A-Za-z]+ +[\w-]+\.[\w-]+\.[\w-]+$/

/** A scheme word and a key, as RFC 9110 writes credentials. */
const CREDENTIALS = /^([A-Za-z][A-Za-z0-9._-]*) +([\x21-\x7e]{1,256})$/

/** What begins as keys do is meant as one. That it is none, its checksum tells anybody. */
const LIKE_A_KEY = /^(?:sk|pk)_/

/** Tells who is calling and what a key may do. */
export class Auth extends Context.Service<
  Auth,
  {
    /** Checks an Authorization header for a surface. A key whose form or checksum is wrong costs no query. */
    readonly authenticate: (
      authorization: string | undefined,
      surface: Surface
    ) => Effect.Effect<Caller, Unauthorized | Forbidden | StoreError>
    /** Who was admitted by this header a moment ago, as long as that may be remembered; null: `authenticate` tells. */
    readonly recall: (authorization: string | undefined, surface: Surface) => Caller | null
    /** Checks the X-Identity-Hash of a request that claims a user id. Servers, with their secret key, need none. */
    readonly verifyIdentity: (
      caller: Caller,
      userId: string,
      hash: string | undefined
    ) => Effect.Effect<void, IdentityUnverified | StoreError>
  }
>()("heliograph/engine/Auth") {
  static readonly layer: Layer.Layer<Auth, never, ApplicationStore | Keys> = Layer.effect(
    Auth,
    Effect.gen(function* () {
      const applications = yield* ApplicationStore
      const keys = yield* Keys
      const clock = yield* Clock.Clock

      const elapsed = () => elapsedBy(clock)
      const remember = <Key, A>(lookup: (key: Key) => Effect.Effect<A, StoreError>) =>
        Effect.map(
          Cache.makeWith((key: Key) => Effect.map(lookup(key), (value) => ({ value, since: elapsed() })), {
            capacity: REMEMBERED,
            timeToLive: (exit) => (Exit.isSuccess(exit) ? REMEMBER_MS : 0)
          }),
          (cache) =>
            (key: Key): Effect.Effect<A, StoreError> =>
              Effect.flatMap(Cache.get(cache, key), ({ since, value }) =>
                // The cache itself goes by the service's clock.
                elapsed() - since < REMEMBER_MS
                  ? Effect.succeed(value)
                  : Effect.map(
                      Effect.andThen(Cache.invalidate(cache, key), Cache.get(cache, key)),
                      (anew) => anew.value
                    )
              )
        )
      /** Keys in use since the last time that this was written down. */
      let used = new Set<ApiKeyId>()
      const known = yield* remember((key: string) =>
        Effect.suspend(() => {
          const askedAt = elapsed()
          return Effect.map(applications.findKey(keys.hash(key)), (found) => {
            if (Option.isSome(found)) used.add(found.value.id)
            return { found, askedAt }
          })
        })
      )
      const writeUse = Effect.suspend(() => {
        const ids = [...used]
        used = new Set()
        // When a key was used is worth no retry: the next minute tells.
        return ids.length === 0 ? Effect.void : Effect.ignore(applications.touchKeys(ids))
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(USE_EVERY), writeUse)))
      yield* Effect.addFinalizer(() => writeUse)
      // What a claimed user id has to be signed with, one of these; null when the application asks for no proof.
      const identitySecrets = yield* remember(
        Effect.fnUntraced(function* (appId: AppId) {
          const application = yield* applications.find(appId)
          if (Option.isSome(application) && !application.value.identityVerification) return null
          return yield* applications.identitySecrets(appId)
        })
      )

      const admit = (key: ApiKey, surface: Surface): Effect.Effect<Caller, Forbidden> =>
        key.kind === "public" && surface === "secret"
          ? Effect.fail(
              new Forbidden({
                appId: key.appId,
                message:
                  "This endpoint needs the secret key of the application; a public key reaches only the public endpoints."
              })
            )
          : Effect.succeed({ keyId: key.id, appId: key.appId, kind: key.kind })

      const check = Effect.fnUntraced(function* (authorization: string | undefined, surface: Surface) {
        if (authorization === undefined) {
          return yield* new Unauthorized({
            message: `The Authorization header is missing. ${EXPECTED[surface]} ${SESSIONS}`
          })
        }
        const [, scheme, text] = CREDENTIALS.exec(authorization) ?? []
        const kind = text === undefined ? null : keys.parse(text)
        if (text !== undefined && kind === null && LIKE_A_KEY.test(text)) {
          return yield* new Unauthorized({
            message:
              "This API key is mistyped or cut off: its checksum does not fit. Copy it again, whole and without anything around it."
          })
        }
        if (kind === null && LIKE_A_TOKEN.test(authorization)) {
          return yield* new Unauthorized({
            message: `This is the token of a session, and REST takes API keys. ${EXPECTED[surface]} ${SESSIONS}`
          })
        }
        if (scheme === undefined || text === undefined || kind === null) {
          return yield* new Unauthorized({ message: `The Authorization header holds no API key. ${EXPECTED[surface]}` })
        }
        // A public key is what it is under any scheme word. A secret one has to be meant as such.
        if (kind === "secret" && scheme.toLowerCase() !== "apikey") {
          return yield* new Unauthorized({
            message: "A secret key is sent with the scheme word ApiKey: `Authorization: ApiKey sk_…`."
          })
        }
        const { askedAt, found } = yield* known(text)
        if (Option.isNone(found)) {
          return yield* new Unauthorized({ message: "This API key is unknown or was revoked." })
        }
        const caller = yield* admit(found.value, surface)
        const callers = admitted[surface]
        if (callers.size >= REMEMBERED) callers.clear()
        callers.set(authorization, { caller, until: askedAt + REMEMBER_MS })
        return caller
      })

      /** Who was admitted by a header a moment ago: most requests come with one of a few. */
      const admitted: Readonly<Record<Surface, Map<string, { readonly caller: Caller; readonly until: number }>>> = {
        secret: new Map(),
        public: new Map()
      }
      const recall: Auth["Service"]["recall"] = (authorization, surface) => {
        const before = authorization === undefined ? undefined : admitted[surface].get(authorization)
        return before !== undefined && elapsed() < before.until ? before.caller : null
      }
      // Suspended: who holds on to a stream has its key checked by running this again and again.
      const authenticate: Auth["Service"]["authenticate"] = (authorization, surface) =>
        Effect.suspend(() => {
          const caller = recall(authorization, surface)
          return caller === null ? check(authorization, surface) : Effect.succeed(caller)
        })

      const checkIdentity = Effect.fnUntraced(function* (caller: Caller, userId: string, hash: string | undefined) {
        const secrets = yield* identitySecrets(caller.appId)
        if (secrets === null) return
        const isProven =
          hash !== undefined &&
          /^[0-9a-fA-F]{64}$/.test(hash) &&
          secrets.some((secret) => keys.equal(hash.toLowerCase(), keys.hmac(secret, userId)))
        if (!isProven) {
          return yield* new IdentityUnverified({
            message:
              "A request that names a user_id needs the header X-Identity-Hash: the hexadecimal HMAC-SHA256 of the user_id, keyed with the application's identity secret and computed on your server."
          })
        }
      })

      const verifyIdentity: Auth["Service"]["verifyIdentity"] = (caller, userId, hash) =>
        caller.kind === "secret" ? Effect.void : checkIdentity(caller, userId, hash)

      return Auth.of({ authenticate, recall, verifyIdentity })
    })
  )
}
