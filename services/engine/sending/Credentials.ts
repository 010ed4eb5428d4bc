import { Context, Effect, Layer, Option, Schema } from "effect"
import type {
  ApnsCredential,
  CredentialConfig,
  FcmCredential,
  SmtpCredential,
  WebPushCredential
} from "../../domain/sending/Credential.ts"
import type { AppId } from "../../domain/Ids.ts"
import type { CredentialSummary } from "../../ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import { Keys } from "../../ports/access/Keys.ts"
import type { OutboundRefused } from "../../ports/outbound/OutboundPolicy.ts"
import { OutboundPolicy } from "../../ports/outbound/OutboundPolicy.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { isVapidPair } from "./VapidPair.ts"

/** A credential that no provider would take, or whose address may not be called. */
export class InvalidCredential extends Schema.TaggedError<InvalidCredential>()("InvalidCredential", {
  field: Schema.String,
  message: Schema.String
}) {}

/** What an application's owner gives: everything but a generated key pair. */
export type CredentialInput =
  | { readonly kind: "apns"; readonly value: ApnsCredential }
  | { readonly kind: "fcm"; readonly value: FcmCredential }
  | { readonly kind: "webpush"; readonly value: WebPushCredential }
  | { readonly kind: "smtp"; readonly value: SmtpCredential }

const SMTP_PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 }

const fromBase64url = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.fromBase64(text, { alphabet: "base64url" })

/** The DER inside a PEM. Throws when it is not base64. */
const pemBody = (pem: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromBase64(pem.replace(/-----[^-]+-----/g, "").replace(/\s+/g, ""))

const refuse = (field: string, message: string) => new InvalidCredential({ field, message })

/** Of the modulus, 4096 bits: Google hands out half of that. */
const MOST_RSA_BYTES = 512

/** Apple and Google hand their keys out as PKCS #8; another kind of key, or another form, does not import. */
const importEcKey = (der: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey("pkcs8", der, { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
/**
 * RS256 takes no keys shorter than 2048 bits (RFC 7518, 3.3), and whoever signs pays for longer ones: so do keys whose
 * other numbers are longer than those of a good one. Nothing checks here that they are prime.
 */
const importRsaKey = async (der: Uint8Array<ArrayBuffer>) => {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("pkcs8", der, algorithm, true, ["sign"])
  const { d, dp, dq, e, n, p, q, qi } = await crypto.subtle.exportKey("jwk", key)
  const bytes = (number: string | undefined): number => fromBase64url(number ?? "").length
  const modulus = bytes(n)
  if (modulus < 256 || modulus > MOST_RSA_BYTES) throw new Error("the key is too short, or too long")
  if (e !== "AQAB" || bytes(d) > modulus) throw new Error("the key has an unusual exponent")
  if ([p, q, dp, dq, qi].some((number) => bytes(number) > modulus / 2 || bytes(number) === 0)) {
    throw new Error("the key has factors that are none")
  }
}

const checkPrivateKey = (
  field: string,
  pem: string,
  importKey: (der: Uint8Array<ArrayBuffer>) => Promise<unknown>,
  message: string
) =>
  Effect.tryPromise({
    try: async () => importKey(pemBody(pem)),
    catch: () => refuse(field, message)
  })

const checkVapidPair = (publicKey: string, privateKey: string) =>
  Effect.filterOrFail(
    isVapidPair(publicKey, privateKey),
    (is) => is,
    () => refuse("private_key", "is not the private half of public_key (P-256, base64url)")
  )

/** Takes provider credentials in: checks what can be checked without asking the provider, and completes them. */
export class Credentials extends Context.Service<
  Credentials,
  {
    /**
     * Replaces a credential. For web push without keys, the pair that is there stays (browsers have subscribed with
     * it), or one is generated.
     */
    readonly put: (
      appId: AppId,
      input: CredentialInput
    ) => Effect.Effect<CredentialSummary, InvalidCredential | StoreError>
    /** The two steps of `put`: whoever asks others than the store, and the store. */
    readonly complete: (
      appId: AppId,
      input: CredentialInput
    ) => Effect.Effect<CredentialConfig, InvalidCredential | StoreError>
    readonly keep: (appId: AppId, config: CredentialConfig) => Effect.Effect<CredentialSummary, StoreError>
  }
>()("heliograph/engine/Credentials") {
  static readonly layer: Layer.Layer<Credentials, never, CredentialStore | Keys | OutboundPolicy> = Layer.effect(
    Credentials,
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const keys = yield* Keys
      const outbound = yield* OutboundPolicy

      const may = (field: string, check: Effect.Effect<unknown, OutboundRefused>) =>
        Effect.mapError(check, (refused) => refuse(field, refused.advice))
      const mayCall = (field: string, url: string | undefined) =>
        url === undefined ? Effect.void : may(field, outbound.check(url, ["https:"]))

      const complete = Effect.fnUntraced(function* (appId: AppId, input: CredentialInput) {
        switch (input.kind) {
          case "apns": {
            const { private_key, endpoint, sandbox_endpoint } = input.value
            yield* checkPrivateKey("private_key", private_key, importEcKey, "must be the P-256 key of the .p8 file")
            yield* mayCall("endpoint", endpoint)
            yield* mayCall("sandbox_endpoint", sandbox_endpoint)
            return input
          }
          case "fcm": {
            const { service_account, endpoint } = input.value
            const field = "service_account.private_key"
            yield* checkPrivateKey(
              field,
              service_account.private_key,
              importRsaKey,
              "must be an RSA key of 2048 to 4096 bits in PKCS #8 form"
            )
            yield* mayCall("service_account.token_uri", service_account.token_uri)
            yield* mayCall("endpoint", endpoint)
            return input
          }
          case "webpush": {
            const { subject, public_key, private_key } = input.value
            if (public_key !== undefined && private_key !== undefined) {
              yield* checkVapidPair(public_key, private_key)
              return { kind: "webpush", value: { subject, public_key, private_key } }
            }
            const present = yield* store.find(appId, "webpush")
            if (Option.isSome(present) && present.value.config.kind === "webpush") {
              return { kind: "webpush", value: { ...present.value.config.value, subject } }
            }
            const { publicKey, privateKey } = keys.vapidPair()
            return { kind: "webpush", value: { subject, public_key: publicKey, private_key: privateKey } }
          }
          case "smtp": {
            const { hostname, port, protocol } = new URL(input.value.url)
            const host = hostname.replace(/^\[|\]$/g, "")
            yield* may("url", outbound.checkHost(host, port === "" ? SMTP_PORTS[protocol]! : Number(port)))
            return input
          }
        }
      })

      return Credentials.of({
        complete: (appId, input) => Effect.map(complete(appId, input), (config) => config as CredentialConfig),
        keep: store.put,
        put: (appId, input) =>
          Effect.flatMap(complete(appId, input), (config) => store.put(appId, config as CredentialConfig))
      })
    })
  )
}
