import { RESERVED_MIB } from "./JetStreamTopics.ts"
import { isNoRoom } from "./Publisher.ts"
import { networkFault, NO_ANSWER } from "../../services/domain/NetworkFault.ts"

/** What NATS has against us, by the class of its client's error; `from` is the setting that we sign in with. */
const wordsOf = (from: string): Readonly<Record<string, string>> => ({
  AuthorizationError:
    from === "NATS_URL"
      ? "it refuses the user or the password of NATS_URL, or wants one"
      : `it refuses what ${from} signs in with`,
  UserAuthenticationExpiredError: `the permission of ${from}'s user has expired`,
  PermissionViolationError: `${from}'s user may not do what the engine needs`,
  TimeoutError: NO_ANSWER,
  JetStreamNotEnabled: "it runs without JetStream: start nats-server with --jetstream"
})

/** What TLS has against it, or it against our certificate, where a setting of ours may be missing. */
const TLS: ReadonlyArray<readonly [said: RegExp, words: string]> = [
  [/does not support 'tls'/, "it offers no TLS, which tls:// in NATS_URL and NATS_TLS_* demand"],
  [
    /certificate required|CERTIFICATE_REQUIRED|bad certificate|BAD_CERTIFICATE|unknown ca\b|UNKNOWN_CA|HANDSHAKE_FAILURE/i,
    "it wants a client certificate that it trusts: see NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE"
  ],
  [
    /SELF_SIGNED|self-signed|UNABLE_TO_(VERIFY|GET_ISSUER)|unable to (verify|get local issuer)/,
    "its certificate comes from an authority that is not trusted: name that one with NATS_TLS_CA_FILE"
  ]
]

/** The codes and messages of an error and of those inside it. */
const saidBy = (error: unknown): string => {
  const said: Array<string> = []
  for (let next = error, depth = 0; typeof next === "object" && next !== null && depth < 6; depth++) {
    const { cause, code, message } = next as { cause?: unknown; code?: unknown; message?: unknown }
    said.push(String(code ?? ""), String(message ?? ""))
    next = cause
  }
  return said.join(" ")
}

/** The streams are made one by one, each when it is first needed: what they need together nobody sees from one that is refused. */
const noRoom = (message: string): string =>
  `it has no room: ${message}. The engine's streams reserve ${RESERVED_MIB} MiB for each replica, of max_file_store and of the account's limit, and the disk must have room for what is in them`

/** What a server without others says of a stream with replicas. */
const REPLICAS = /replicas > 1 not supported in non-clustered mode/
const ALONE =
  "it belongs to no cluster, and NATS_REPLICAS asks for several servers: set it to 1, or name a cluster in NATS_URL"

export interface Peer {
  readonly servers: ReadonlyArray<string>
  /** The setting that we sign in with. */
  readonly from: string
}

/** An error of NATS in words, with where it is (`host:port`, never a user or a password). */
export const fault = ({ from, servers }: Peer, error: unknown): string => {
  const { message, name } = error instanceof Error ? error : new Error(String(error))
  // What the client says itself may quote what it was given.
  const all = saidBy(error)
  const tls = TLS.find(([pattern]) => pattern.test(all))?.[1]
  const room = isNoRoom(error) ? noRoom(message) : undefined
  const alone = REPLICAS.test(all) ? ALONE : undefined
  const said =
    tls ?? room ?? alone ?? wordsOf(from)[name] ?? networkFault(error) ?? message.replace(/\/\/[^\s/@]*@/g, "//")
  return `NATS at ${servers.join(", ")}: ${said}${said.includes("NATS_URL") ? "" : ". NATS_URL says where it is"}`
}
