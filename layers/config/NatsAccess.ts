import { createPrivateKey, X509Certificate } from "node:crypto"
import type { Environment } from "./SettingFiles.ts"
import { authoritiesIn, SettingFiles } from "./SettingFiles.ts"

/** How the engine signs in at NATS, beside what may stand in NATS_URL. Files are read when a connection is made. */
export type NatsSignIn =
  | { readonly _tag: "user"; readonly user: string; readonly password: string }
  | { readonly _tag: "token"; readonly token: string }
  /** A user's JWT and seed, as `nsc` writes them. */
  | { readonly _tag: "creds"; readonly file: string }
  /** A user's seed (`SU…`). */
  | { readonly _tag: "nkey"; readonly file: string }

export interface NatsAccess {
  readonly signIn: NatsSignIn | null
  /** Set: nothing is said but over TLS. */
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | null
}

const WAYS = ["NATS_USER", "NATS_TOKEN", "NATS_CREDS_FILE", "NATS_NKEY_FILE"] as const
const TLS = ["NATS_TLS_CA_FILE", "NATS_TLS_CERT_FILE", "NATS_TLS_KEY_FILE"] as const

const SEED = /\bSU[A-Z2-7]{56}\b/

const signInOf = (reading: SettingFiles): NatsSignIn | null => {
  const user = reading.text("NATS_USER")
  const password = reading.text("NATS_PASSWORD")
  const token = reading.text("NATS_TOKEN")
  if ((user === undefined) !== (password === undefined)) {
    reading.problems.push("NATS_USER and NATS_PASSWORD must be set together")
  }
  reading.check(
    "NATS_CREDS_FILE",
    "a credentials file of NATS, with the JWT and the seed of a user",
    (content) => (content.includes("-----BEGIN NATS USER JWT-----") && SEED.test(content)) || undefined
  )
  reading.check(
    "NATS_NKEY_FILE",
    "a file with the seed of a user's nkey, which begins with SU",
    (content) => SEED.test(content) || undefined
  )
  if (user !== undefined) return { _tag: "user", user, password: password ?? "" }
  if (token !== undefined) return { _tag: "token", token }
  const [creds, nkey] = [reading.text("NATS_CREDS_FILE"), reading.text("NATS_NKEY_FILE")]
  if (creds !== undefined) return { _tag: "creds", file: creds }
  return nkey === undefined ? null : { _tag: "nkey", file: nkey }
}

const tlsOf = (reading: SettingFiles): NatsAccess["tls"] => {
  const [caFile, certFile, keyFile] = TLS.map((name) => reading.text(name))
  if (caFile === undefined && certFile === undefined && keyFile === undefined) return null
  reading.check("NATS_TLS_CA_FILE", "a PEM file of certificate authorities", authoritiesIn)
  const cert = reading.check("NATS_TLS_CERT_FILE", "a PEM file of a certificate", (pem) => new X509Certificate(pem))
  const key = reading.check("NATS_TLS_KEY_FILE", "a PEM file of a private key without a passphrase", createPrivateKey)
  if (certFile !== undefined && keyFile === undefined) {
    reading.problems.push(
      "NATS_TLS_KEY_FILE must be set with NATS_TLS_CERT_FILE: a certificate is of no use without its key"
    )
  }
  if (keyFile !== undefined && certFile === undefined) {
    reading.problems.push(
      "NATS_TLS_CERT_FILE must be set with NATS_TLS_KEY_FILE: a key is of no use without its certificate"
    )
  }
  if (cert !== undefined && key !== undefined && !cert.checkPrivateKey(key)) {
    reading.problems.push("NATS_TLS_KEY_FILE is not the key of the certificate in NATS_TLS_CERT_FILE")
  }
  return {
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile })
  }
}

/** Reads and checks the settings of NATS beside its URL. `url` is null where NATS_URL is not set, or is wrong. */
export const readNatsAccess = (
  env: Environment,
  url: string | null
): { readonly access: NatsAccess; readonly problems: ReadonlyArray<string> } => {
  const reading = new SettingFiles(env)
  const access: NatsAccess = { signIn: signInOf(reading), tls: tlsOf(reading) }
  const { problems } = reading
  const given = [...WAYS, "NATS_PASSWORD", ...TLS].filter((name) => reading.text(name) !== undefined)
  if (given.length > 0 && reading.text("NATS_URL") === undefined) {
    problems.push(`NATS_URL must be set when ${given.join(", ")} ${given.length > 1 ? "are" : "is"}`)
  }
  const parts = url?.split(",").map((part) => new URL(part.trim())) ?? []
  const ways = [
    ...(parts.some(({ username }) => username !== "") ? ["the user of NATS_URL"] : []),
    ...WAYS.filter((name) => reading.text(name) !== undefined)
  ]
  if (ways.length > 1)
    problems.push(`${ways.join(", ")}: NATS takes one way to sign in, so only one of these may be set`)
  if (access.tls !== null && parts.some(({ protocol }) => protocol.startsWith("ws"))) {
    problems.push(
      "NATS_TLS_CA_FILE, NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE go with nats:// and tls:// in NATS_URL; for wss:// name an authority with NODE_EXTRA_CA_CERTS"
    )
  }
  return { access, problems }
}
