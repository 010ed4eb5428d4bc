import { Schema } from "effect"
import { EmailAddress } from "../audience/EmailAddress.ts"
import { isPublicKeyOfP256 } from "../audience/P256.ts"
import { maxLength } from "../Text.ts"
import { Sender } from "./Sender.ts"

/** The ways out that need a credential: ios → apns, android → fcm, web → webpush; e-mail channels → smtp. */
export const CredentialKind = Schema.Literals(["apns", "fcm", "webpush", "smtp"])
export type CredentialKind = typeof CredentialKind.Type

/** All ways out. Inbox messages leave through nobody: the engine writes them itself. */
export const ProviderKind = Schema.Literals([...CredentialKind.literals, "inbox"])
export type ProviderKind = typeof ProviderKind.Type

export const providerOf = { ios: "apns", android: "fcm", web: "webpush", email: "smtp", inbox: "inbox" } as const

const Url = (protocols: ReadonlyArray<string>) =>
  Schema.String.check(
    maxLength(2048),
    Schema.makeFilter(
      (value: string) =>
        (URL.canParse(value) && protocols.includes(new URL(value).protocol)) ||
        `must be a URL that starts with ${protocols.map((p) => (p === "mailto:" ? p : `${p}//`)).join(" or ")}`
    )
  )

const PEM_BEGIN = /-----BEGIN [A-Z ]*PRIVATE KEY-----/
const PEM_END = /-----END [A-Z ]*PRIVATE KEY-----/

/** One after the other: a pattern of both would look for the end once for each beginning. */
const hasPrivateKey = (text: string): boolean => {
  const begin = PEM_BEGIN.exec(text)
  return begin !== null && PEM_END.test(text.slice(begin.index + begin[0].length + 1))
}

const Pem = Schema.String.check(
  maxLength(16_384),
  Schema.makeFilter((value: string) => hasPrivateKey(value) || "must be a private key in PEM form")
)

/** Team and key ids of Apple are ten letters and digits. */
const AppleId = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9]{10}$/, { message: "must be ten capital letters and digits" })
)

/** It is sent as the header `apns-topic`: what a header cannot hold would cost everybody on the connection. */
const BundleId = Schema.String.check(
  Schema.isPattern(/^[\w.-]{1,255}$/, { message: "must be letters, digits, dots, hyphens and underscores" })
)

/** PUT /credentials/apns. `endpoint` replaces production and, unless `sandbox_endpoint` is given, the sandbox too. */
export const ApnsCredential = Schema.Struct({
  team_id: AppleId,
  key_id: AppleId,
  private_key: Pem,
  bundle_id: BundleId,
  endpoint: Schema.optionalKey(Url(["https:"])),
  sandbox_endpoint: Schema.optionalKey(Url(["https:"]))
})
export type ApnsCredential = typeof ApnsCredential.Type

const ACCOUNT = {
  project_id: Schema.NonEmptyString.check(maxLength(128)),
  client_email: EmailAddress,
  private_key: Pem,
  token_uri: Schema.optionalKey(Url(["https:"]))
}
const FCM_ENDPOINT = Schema.optionalKey(Url(["https:"]))
const ANYTHING = Schema.Record(Schema.String, Schema.Json)

/** PUT /credentials/fcm. `endpoint` replaces https://fcm.googleapis.com; the OAuth endpoint is the account's token_uri. */
export const FcmCredential = Schema.Struct({
  service_account: Schema.StructWithRest(Schema.Struct(ACCOUNT), [ANYTHING]).check(Schema.isMaxProperties(100)),
  endpoint: FCM_ENDPOINT
})
export type FcmCredential = typeof FcmCredential.Type

/** The same as the file that Google hands out, with or without an `endpoint` in it: what `wrapServiceAccount` wraps. */
export const FcmServiceAccountFile = Schema.StructWithRest(
  Schema.Struct({ type: Schema.Literal("service_account"), ...ACCOUNT, endpoint: FCM_ENDPOINT }),
  [ANYTHING]
).check(Schema.isMaxProperties(101))

/** The file that Google hands out is taken by itself as well. What is no such file is left as it is. */
export const wrapServiceAccount = (body: unknown): unknown => {
  if (typeof body !== "object" || body === null || "service_account" in body) return body
  if (!("type" in body) || body.type !== "service_account") return body
  const { endpoint, ...service_account } = body as Readonly<Record<string, unknown>>
  return endpoint === undefined ? { service_account } : { service_account, endpoint }
}

const isAddress = Schema.is(EmailAddress)

/** Whom push services write to when something is wrong: some refuse every message of a sender who cannot be reached. */
const Subject = Url(["mailto:", "https:"]).check(
  Schema.makeFilter(
    (value: string) =>
      (/^mailto:/i.test(value)
        ? !value.includes("?") && isAddress(value.slice("mailto:".length))
        : /^\S+$/.test(value)) || "must be mailto: with an e-mail address, or an https URL"
  )
)

const VapidPublicKey = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{87}$/),
  Schema.makeFilter((value: string) => isPublicKeyOfP256(value) || "must be a public key of P-256")
)

/** PUT /credentials/webpush: the VAPID subject; the key pair is generated unless both halves are given (base64url). */
export const WebPushCredential = Schema.Struct({
  subject: Subject,
  public_key: Schema.optionalKey(VapidPublicKey),
  private_key: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/)))
}).check(
  Schema.makeFilter((c) =>
    (c.public_key === undefined) === (c.private_key === undefined)
      ? undefined
      : { path: [c.public_key === undefined ? "public_key" : "private_key"], issue: "give both keys or neither" }
  )
)
export type WebPushCredential = typeof WebPushCredential.Type

const isPercentEncoded = (value: string): boolean => {
  const url = URL.parse(value)
  if (url === null) return true
  try {
    decodeURIComponent(url.username + url.password)
    return true
  } catch {
    return false
  }
}

/** The IPv4 address that a host means without being written so (`0127.1` is 87.0.0.1), or null. */
const disguisedAddress = (value: string): string | null => {
  try {
    const written = decodeURIComponent(URL.parse(value)?.hostname ?? "")
    const host = URL.parse(`http://${written}/`)?.hostname ?? ""
    return /^\d+\.\d+\.\d+\.\d+$/.test(host) && host !== written ? host : null
  } catch {
    return null
  }
}

/** PUT /credentials/smtp: an smtp:// or smtps:// URL with its user and password, and the sender's address. */
export const SmtpCredential = Schema.Struct({
  url: Url(["smtp:", "smtps:"]).check(
    Schema.makeFilter(
      (value: string) => isPercentEncoded(value) || "must have its user and password percent-encoded: % itself is %25"
    ),
    Schema.makeFilter((value: string) => {
      const address = disguisedAddress(value)
      return address === null || `must name its host as it is called: ${address}`
    })
  ),
  from: Sender
})
export type SmtpCredential = typeof SmtpCredential.Type

/** The complete configuration of one provider, as its layer receives it: web push keys are always there. */
export type CredentialConfig =
  | { readonly kind: "apns"; readonly value: ApnsCredential }
  | { readonly kind: "fcm"; readonly value: FcmCredential }
  | {
      readonly kind: "webpush"
      readonly value: { readonly subject: string; readonly public_key: string; readonly private_key: string }
    }
  | { readonly kind: "smtp"; readonly value: SmtpCredential }
