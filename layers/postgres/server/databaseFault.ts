import type { SqlError } from "effect/sql/SqlError"
import { networkFault, NO_ANSWER } from "../../../services/domain/NetworkFault.ts"
import { sqlStateOf } from "./storeError.ts"

/** Where a database is and what it is called: no user, no password. */
const placeOf = (url: string): string => {
  const { hostname, pathname, port, searchParams } = new URL(url)
  const database = decodeURIComponent(pathname.slice(1)) || (searchParams.get("dbname") ?? "")
  const host = searchParams.get("host") ?? decodeURIComponent(hostname)
  const place = host.startsWith("/") ? host : `${host}:${port || (searchParams.get("port") ?? "5432")}`
  return `PostgreSQL at ${place}${database === "" ? "" : `, database ${database}`}`
}

/** What PostgreSQL itself has said, wherever in an error it stands. */
export const refusalIn = (error: unknown): { readonly code: string; readonly message: string } | null => {
  if (typeof error !== "object" || error === null) return null
  const { cause, code, message, reason } = error as Readonly<Record<string, unknown>>
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && typeof message === "string"
    ? { code, message }
    : (refusalIn(cause) ?? refusalIn(reason))
}

export const READ_ONLY =
  "transaction_read_only is on, by default_transaction_read_only of the server, the database or the role, or because it is a standby"

/** Why a database that answers takes no writes, by SQLSTATE. */
const UNWRITABLE: Readonly<Record<string, string>> = {
  "25006": READ_ONLY,
  "53100":
    "its disk is full, or a quota of it. Make room where PostgreSQL keeps its data; nothing that was accepted is lost"
}

/** Why the database took no write, in words for an operator; null for an error that is about something else. */
export const unwritable = (error: unknown): string | null => UNWRITABLE[refusalIn(error)?.code ?? ""] ?? null

/** What PostgreSQL has against us, by SQLSTATE. */
const refusal = (state: string, url: string): string | null => {
  switch (state) {
    case "28P01":
    case "28000":
      return "it refuses the user or the password of DATABASE_URL, or connections from here (pg_hba.conf)"
    case "3D000":
      return `there is no database "${decodeURIComponent(new URL(url).pathname.slice(1))}"; create it, or name another in DATABASE_URL`
    case "42501":
      return "the user of DATABASE_URL lacks a permission: it has to own the database, or be allowed to create in it"
    case "53300":
      return "it has no connection left: fewer DATABASE_CONNECTIONS or PROCESSES, or a larger max_connections"
    case "57P01":
    case "57P02":
    case "57P03":
      return "it is starting or stopping"
    case "57014":
      return "a statement took too long"
    default:
      return null
  }
}

/** What else of TLS the two sides do not agree on, by what is said of it, and which parameter of the URL is the way out. */
const TLS: ReadonlyArray<readonly [said: RegExp, words: string]> = [
  [
    /does not support (TLS|SSL)/,
    "it offers no TLS, which sslmode in DATABASE_URL demands: turn it on there (ssl = on), or leave sslmode out"
  ],
  [
    /", no encryption/,
    "its pg_hba.conf lets this user in from here without TLS nowhere: add sslmode=require to DATABASE_URL, or an entry there"
  ],
  [/requires a valid client certificate/, "it wants a client certificate: sslcert and sslkey in DATABASE_URL"],
  [
    /self-signed certificate|self signed certificate|unable to (verify the first|get local issuer) certificate/,
    "its certificate comes from an authority that is not trusted: name that one's PEM file with sslrootcert in DATABASE_URL"
  ],
  [
    /does not match certificate's altnames/,
    "its certificate is for another name: write a name of the certificate into DATABASE_URL, or sslmode=verify-ca, which asks for no name"
  ]
]

/** Whether waiting cannot help, because somebody has to change a setting or the database. */
export const isForGood = (error: SqlError): boolean => ["28P01", "28000", "3D000"].includes(sqlStateOf(error))

/** Whether a pooler in front of the database refused what a session is to begin with. */
export const refusesLimits = (error: SqlError): boolean =>
  sqlStateOf(error) === "08P01" &&
  /unsupported startup parameter/i.test(
    [error.message, error.reason.message, (error.reason.cause as Error | undefined)?.message].join(" ")
  )

/** The messages of an error and of those inside it. */
const saidBy = (error: SqlError): string => {
  const said: Array<string> = []
  for (let next: unknown = error.reason; next instanceof Error && said.length < 6; next = next.cause)
    said.push(next.message)
  return said.join(" ")
}

/** An error of the database in words, with where it is; never a user or a password. */
export const fault = (url: string, error: SqlError): string => {
  const why = unwritable(error)
  const all = saidBy(error)
  const said =
    (why === null ? null : `it takes no writes: ${why}`) ??
    TLS.find(([pattern]) => pattern.test(all))?.[1] ??
    refusal(sqlStateOf(error), url) ??
    networkFault(error.reason.cause) ??
    (/timed out/i.test(String(error.reason.message)) ? NO_ANSWER : null) ??
    [error.reason.message, (error.reason.cause as Error | undefined)?.message].filter(Boolean).join(": ")
  return `${placeOf(url)}: ${said}`
}
