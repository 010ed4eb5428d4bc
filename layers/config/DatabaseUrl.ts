import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"
import { createSecureContext } from "node:tls"

/*
 * DATABASE_URL as libpq and the programs around it write it. The driver reads the rest of it; what concerns TLS is read
 * here, in libpq's meaning: `require` encrypts and asks nobody's name, unless `sslrootcert` says whom to trust.
 */

const PARAMETERS = [
  "application_name",
  "connect_timeout",
  "dbname",
  "host",
  "options",
  "password",
  "port",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslrootcert",
  "user"
]
const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"]
const FILES = ["sslrootcert", "sslcert", "sslkey"]
const SHAPE = "must be a URL such as postgres://user:password@host:5432/database"

const wrong = (what: string): never => {
  throw new Error(what)
}

const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const contents = (name: string, path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    return wrong(`names a file that cannot be read, ${name}=${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** Checks a DATABASE_URL; throws the sentence that says what it should be, without anything secret of it. */
export const readDatabaseUrl = (text: string): string => {
  if (!/^postgres(ql)?:\/\//.test(text)) return wrong("must be a URL that starts with postgres:// or postgresql://")
  if (/^[^/]*\/\/[^/?#]*,/.test(text))
    return wrong("names several hosts; name one, such as the address that moves at a failover")
  // What follows the first @ would be the host, and be shown as such.
  if ((/^[^?#]*/.exec(text)![0].match(/@/g) ?? []).length > 1)
    return wrong(
      "has more than one @: write one that belongs to the user, the password or the database as %40, / as %2F, : as %3A and # as %23"
    )
  // libpq takes a user without a host beside `?host=/folder/of/the/socket`; URLs do not.
  const whole = text.replace(/^([^/]*\/\/[^/?#]*@)(?=[/?]|$)/, "$1localhost").replace(/\/$/, "")
  if (!URL.canParse(whole)) return wrong(SHAPE)
  const url = new URL(whole)
  const { hostname, password, pathname, searchParams, username } = url
  if (![hostname, password, pathname, username].every(decodes))
    return wrong(`has a % that encodes nothing: write the character % as %25; it ${SHAPE}`)
  for (const [name, value] of searchParams) {
    if (!PARAMETERS.includes(name))
      return wrong(`has the parameter ${name}, which is not known; known are ${PARAMETERS.join(", ")}`)
    if (searchParams.getAll(name).length > 1) return wrong(`has the parameter ${name} more than once`)
    if (name === "host" && value.includes(","))
      return wrong("names several hosts; name one, such as the address that moves at a failover")
    if (name === "sslmode" && !MODES.includes(value))
      return wrong(`has sslmode=${value}; it must be ${MODES.join(" or ")}`)
    if (name === "connect_timeout" && !/^\d{1,6}$/.test(value))
      return wrong("has a connect_timeout that is no whole number of seconds")
    if (name === "port" && !(/^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535))
      return wrong("has a port that is no number from 1 to 65535")
    if (FILES.includes(name) && !/^(require|verify-ca|verify-full|no-verify)$/.test(searchParams.get("sslmode") ?? ""))
      return wrong(`has ${name} without an sslmode of require, verify-ca or verify-full`)
    if (FILES.includes(name) && !(name === "sslrootcert" && value === "system")) contents(name, value)
  }
  if (searchParams.has("sslcert") !== searchParams.has("sslkey")) return wrong("needs sslcert and sslkey together")
  // Found out while connecting, it would end the process: the driver looks after no such error.
  const ssl = tlsOf(searchParams)
  try {
    if (typeof ssl === "object") createSecureContext(ssl)
  } catch (cause) {
    return wrong(`has an sslrootcert, sslcert or sslkey that cannot be used (${(cause as Error).message})`)
  }
  return whole
}

/** What the driver is told: the URL, and what it does not read of it. Milliseconds. */
export interface DatabaseAccess {
  readonly url: string
  /** Undefined: what the URL says to the driver. */
  readonly ssl: boolean | ConnectionOptions | undefined
  /** Null: where the URL says nothing. */
  readonly connectTimeoutMs: number | null
}

const tlsOf = (parameters: URLSearchParams): boolean | ConnectionOptions | undefined => {
  const mode = parameters.get("sslmode")
  if (mode === null || mode === "allow" || mode === "prefer") return undefined
  if (mode === "disable") return false
  const [root, cert, key] = FILES.map((name) => parameters.get(name))
  const own = cert && key ? { cert: contents("sslcert", cert), key: contents("sslkey", key) } : {}
  if (mode === "no-verify" || (mode === "require" && !root)) return { ...own, rejectUnauthorized: false }
  const trusted = root && root !== "system" ? { ca: contents("sslrootcert", root) } : {}
  // The name is asked for by `verify-full` alone.
  return { ...own, ...trusted, ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }) }
}

export const accessOf = (databaseUrl: string): DatabaseAccess => {
  const url = new URL(databaseUrl)
  const ssl = tlsOf(url.searchParams)
  const seconds = url.searchParams.get("connect_timeout")
  if (ssl !== undefined) for (const name of ["sslmode", ...FILES]) url.searchParams.delete(name)
  // 0 waits for ever, in libpq.
  const connectTimeoutMs = seconds === null ? null : Number(seconds) === 0 ? Infinity : Number(seconds) * 1000
  return { url: url.href, ssl, connectTimeoutMs }
}
