import { Cache, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import type { ApiKey, KeyKind } from "../domain/Application.ts"
import type { ApiKeyId, AppId } from "../domain/Ids.ts"
import { ApplicationStore } from "../ports/ApplicationStore.ts"
import { Keys } from "../ports/Keys.ts"
import type { StoreError } from "../ports/StoreError.ts"

/** No key, or none that is known. The message says what to send. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", { message: Schema.String }) {}

/** A good key that may not do this. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { message: Schema.String }) {}

/** A claimed user_id without proof (spec 5.3). */
export class IdentityUnverified extends Schema.TaggedError<IdentityUnverified>()("IdentityUnverified", {
  message: Schema.String
}) {}

/** Who sends a request, as far as a key tells. */
export interface Caller {
  readonly keyId: ApiKeyId
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

const EXPECTED = {
  secret: "Send a secret key in the header `Authorization: ApiKey sk_…`.",
  public: "Send a public key in the header `Authorization: Public pk_…`, or a secret key as `ApiKey sk_…`."
}

/** A scheme word and a key, as RFC 9110 writes credentials. */
const CREDENTIALS = /^([A-Za-z][A-Za-z0-9._-]*) +([\x21-\x7e]{1,256})$/

/** Tells who is calling and what a key may do. */
export class Auth extends Context.Service<
  Auth,
  {
    /** Checks an Authorization header for a surface. A key whose form or checksum is wrong costs no query. */
    readonly authenticate: (
      authorization: string | undefined,
      surface: Surface
    ) => Effect.Effect<Caller, Unauthorized | Forbidden | StoreError>
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

      const remember = <Key, A>(lookup: (key: Key) => Effect.Effect<A, StoreError>) =>
        Cache.makeWith(lookup, {
          capacity: REMEMBERED,
          timeToLive: (exit) => (Exit.isSuccess(exit) ? REMEMBER_MS : 0)
        })
      const known = yield* remember((key: string) => applications.findKey(keys.hash(key)))
      // What a claimed user id has to be signed with; null when the application asks for no proof.
      const identitySecrets = yield* remember(
        Effect.fnUntraced(function* (appId: AppId) {
          const application = yield* applications.find(appId)
          if (Option.isSome(application) && !application.value.identityVerification) return null
          return Option.getOrElse(yield* applications.identitySecret(appId), () => "")
        })
      )

      const admit = (key: ApiKey, surface: Surface): Effect.Effect<Caller, Forbidden> =>
        key.kind === "public" && surface === "secret"
          ? Effect.fail(
              new Forbidden({
                message:
                  "This endpoint needs the secret key of the application; a public key reaches only the public endpoints."
              })
            )
          : Effect.succeed({ keyId: key.id, appId: key.appId, kind: key.kind })

      const authenticate = Effect.fnUntraced(function* (authorization: string | undefined, surface: Surface) {
        if (authorization === undefined) {
          return yield* new Unauthorized({ message: `The Authorization header is missing. ${EXPECTED[surface]}` })
        }
        const [, scheme, text] = CREDENTIALS.exec(authorization) ?? []
        const kind = text === undefined ? null : keys.parse(text)
        if (scheme === undefined || text === undefined || kind === null) {
          return yield* new Unauthorized({ message: `The Authorization header holds no API key. ${EXPECTED[surface]}` })
        }
        // A public key is what it is under any scheme word. A secret one has to be meant as such.
        if (kind === "secret" && scheme.toLowerCase() !== "apikey") {
          return yield* new Unauthorized({
            message: "A secret key is sent with the scheme word ApiKey: `Authorization: ApiKey sk_…`."
          })
        }
        const key = yield* Cache.get(known, text)
        if (Option.isNone(key)) {
          return yield* new Unauthorized({ message: "This API key is unknown or was revoked." })
        }
        return yield* admit(key.value, surface)
      })

      const verifyIdentity = Effect.fnUntraced(function* (caller: Caller, userId: string, hash: string | undefined) {
        if (caller.kind === "secret") return
        const secret = yield* Cache.get(identitySecrets, caller.appId)
        if (secret === null) return
        const isProven =
          secret !== "" &&
          hash !== undefined &&
          /^[0-9a-fA-F]{64}$/.test(hash) &&
          keys.equal(hash.toLowerCase(), keys.hmac(secret, userId))
        if (!isProven) {
          return yield* new IdentityUnverified({
            message:
              "A request that names a user_id needs the header X-Identity-Hash: the hexadecimal HMAC-SHA256 of the user_id, keyed with the application's identity secret and computed on your server."
          })
        }
      })

      return Auth.of({ authenticate, verifyIdentity })
    })
  )
}
