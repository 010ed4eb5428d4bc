import { Context, Effect, Layer, Schema } from "effect"
import { IpNetwork } from "effect/net"
import { isIP } from "node:net"
import { availableParallelism } from "node:os"
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { isSender } from "../../services/domain/sending/Sender.ts"
import type { Budget, RateLimits } from "../../services/domain/access/RateLimit.ts"
import { isTimeZone } from "../../services/domain/Time.ts"
import { EngineSettings } from "../../services/ports/EngineSettings.ts"
import { HttpSettings } from "../../services/ports/HttpSettings.ts"
import { PeopleSettings } from "../../services/ports/people/PeopleSettings.ts"
import type { NatsAccess } from "./NatsAccess.ts"
import { readDatabaseUrl } from "./DatabaseUrl.ts"
import { readNatsAccess } from "./NatsAccess.ts"
import { authoritiesIn, SettingFiles } from "./SettingFiles.ts"

/** Every setting, once: read from the environment, checked before anything starts. Durations are milliseconds. */
export interface SettingsShape {
  readonly port: number
  readonly host: string
  /** Where clients reach this service: an origin, which ends without a slash. */
  readonly baseUrl: string
  readonly dataDir: string
  /** Null: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | null
  /** Of each process of the node, at most; they are opened as they are needed. */
  readonly databaseConnections: number
  /** Processes of this node: 1 does everything itself; with more, one serves the API and the others do the work. */
  readonly processes: number
  /** Null: the in-process queue. */
  readonly natsUrl: string | null
  readonly natsAccess: NatsAccess
  readonly natsReplicas: number
  readonly roles: ReadonlySet<Role>
  /** Null: made in `dataDir`, which only the embedded database allows. 32 bytes. */
  readonly masterKey: Uint8Array | null
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  readonly rateLimits: RateLimits
  readonly outboundAllowCidrs: ReadonlyArray<IpNetwork.IpNetwork>
  /** A PEM file of certificate authorities that are trusted beside the system's: private receivers, simulators, proxies. */
  readonly outboundCaFile: string | null
  /** Asked for the names of outbound requests, as `address` or `address:port`. Null: those of the system. */
  readonly outboundNameServers: ReadonlyArray<string> | null
  /** How long a notification waits for others to be accepted together with it; 0: it does not. */
  readonly acceptLingerMs: number
  readonly http2Transport: "own" | "http2-wrapper"
  /** Worker threads that encrypt web push messages; with 0, the thread that serves everything does, in short turns. */
  readonly webpushThreads: number
  /** Where the service's own mail goes. Null: to the console, and into `dataDir`. */
  readonly smtpUrl: string | null
  readonly mailFrom: string
  /** Who gets an account: whoever proves an address, or only those who were invited. */
  readonly registration: "open" | "invite"
  /** Services by which people may sign in, with what they know this one by; null: not offered. */
  readonly externalSignIn: ExternalSignInSettings
  /** Whether the HTML of e-mail gets an open pixel and tracked links, unless its notification says otherwise. */
  readonly emailTracking: boolean
  readonly retentionDays: number
  /** Live readers of inboxes on a process, and of one application, user or client address among them, at most. */
  readonly inboxStreams: number
  readonly inboxStreamsPerApp: number
  readonly inboxStreamsPerUser: number
  readonly inboxStreamsPerAddress: number
  /** Open connections of one address to a process, at most; those of trusted proxies are not counted. */
  readonly connectionsPerAddress: number
  /** Of the audit log, which is small and is asked for late. */
  readonly auditRetentionDays: number
  readonly otlpEndpoint: string | null
  /** Sent along with traces. */
  readonly otlpHeaders: Readonly<Record<string, string>>
  /** The share of notifications that are traced, where the client does not say. */
  readonly traceRatio: number
  readonly logLevel: LogLevel
  readonly bodyLimit: number
  readonly importLimit: number
  /** How long a SIGTERM may take to drain. */
  readonly drainMs: number
  readonly engine: EngineSettings["Service"]
}

interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
}

export interface ExternalSignInSettings {
  /** `asksCode`: also of addresses that Google has verified, unless it hosts their mail. */
  readonly google: (OAuthClient & { readonly issuer: string; readonly asksCode: boolean }) | null
  readonly github: (OAuthClient & { readonly baseUrl: string; readonly apiUrl: string }) | null
}

export const ROLES = ["api", "dispatch", "webhooks", "workflows"] as const
export type Role = (typeof ROLES)[number]
const LOG_LEVELS = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export class Settings extends Context.Service<Settings, SettingsShape>()("heliograph/layers/Settings") {}

export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The settings are not usable:\n${this.problems.map((problem) => `  ${problem}`).join("\n")}`
  }
}

/** Each reader answers a value, or throws the sentence that says what the setting should be. */
type Reader<A> = (text: string) => A

const wrong = (what: string): never => {
  throw new Error(what)
}

const integer =
  (minimum: number, maximum: number): Reader<number> =>
  (text) =>
    /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
      ? Number(text)
      : wrong(`must be a whole number from ${minimum} to ${maximum}`)

const bytes = (minimum: number, maximum: number): Reader<number> => {
  const read = integer(minimum, maximum)
  return (text) => {
    try {
      return read(text)
    } catch {
      return wrong(`must be a whole number of bytes from ${minimum} to ${maximum}`)
    }
  }
}

const url =
  (...protocols: ReadonlyArray<string>): Reader<string> =>
  (text) =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol)
      ? text.replace(/\/$/, "")
      : wrong(`must be a URL that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`)

/** Everything here is at the root of its host: pages, assets and links name no path before theirs. */
const ownUrl: Reader<string> = (text) => {
  url("http:", "https:")(text)
  const { origin, pathname } = new URL(text)
  return pathname === "/" && !/[?#@]/.test(text)
    ? origin
    : wrong(
        `must be a URL without a path, query, fragment or user, such as ${origin}: the service answers at the root of its host, and needs a host name of its own`
      )
}

/** Of an address that may stand in brackets, as in a URL, or a name. */
const listenHost: Reader<string> = (text) => {
  const host = text.replace(/^\[(.*)\]$/, (whole, address: string) => (isIP(address) === 6 ? address : whole))
  return isIP(host) !== 0 || /^[\w.-]+$/.test(host)
    ? host
    : wrong(
        "must be an address or a name of this machine such as 127.0.0.1, ::1 or localhost, or 0.0.0.0 or :: for all"
      )
}

/** Where a service is found that listens there; null where nobody can know. */
const originAt = (host: string, port: number): string | null => {
  const url = port === 0 ? null : URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`)
  if (url === null) return null
  const isAny = url.hostname === "0.0.0.0" || url.hostname === "[::]"
  return `http://${isAny ? "localhost" : url.hostname}:${port}`
}

/** Stands for an address of which nothing is known. */
const UNKNOWN_ORIGIN = ""

const oneOf =
  <const A extends string>(...values: ReadonlyArray<A>): Reader<A> =>
  (text) =>
    values.find((value) => value === text) ?? wrong(`must be ${values.join(" or ")}`)

const cidrs: Reader<ReadonlyArray<IpNetwork.IpNetwork>> = (text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const parsed = IpNetwork.fromString(part.includes("/") ? part : `${part}/${part.includes(":") ? 128 : 32}`)
      return parsed._tag === "Success" ? parsed.success : wrong(`must be a list of networks such as 10.0.0.0/8,::1/128`)
    })

const nameServers: Reader<ReadonlyArray<string>> = (text) =>
  text.split(",").map((part) => {
    const server = part.trim()
    const [, address, port] = /^\[?(.*?)\]?(?::(\d{1,5}))?$/.exec(server) ?? []
    const isServer = isIP(server) !== 0 || (address !== undefined && port !== undefined && isIP(address) !== 0)
    return isServer ? server : wrong("must be a list of addresses such as 10.0.0.2,10.0.0.3:5353")
  })

/** What a provider has given out. */
const credential: Reader<string> = (text) =>
  /^[\x21-\x7e]{1,500}$/.test(text) ? text : wrong("must be as the provider shows it, without spaces")

/** `name=value` pairs separated by commas, percent-encoded where they must be, as OTEL_EXPORTER_OTLP_HEADERS. */
const headerList: Reader<Readonly<Record<string, string>>> = (text) =>
  Object.fromEntries(
    text.split(",").map((part) => {
      const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(part) ?? []
      if (name === undefined || value === undefined) return wrong("must be a list such as api-key=secret,tenant=7")
      try {
        return [name.toLowerCase(), decodeURIComponent(value)]
      } catch {
        return wrong("must be a list such as api-key=secret,tenant=7")
      }
    })
  )

const share: Reader<number> = (text) =>
  /^(0|1|0?\.\d+|[01]\.0+)$/.test(text) ? Number(text) : wrong("must be a number from 0 to 1")

const timeZone: Reader<string> = (text) =>
  isTimeZone(text) ? text : wrong("must be an IANA time zone name such as Europe/Berlin")

/** NATS takes several servers in one URL list. */
const natsUrls: Reader<string> = (text) => {
  for (const part of text.split(",")) url("nats:", "tls:", "ws:", "wss:")(part.trim())
  return text
}

/** `plan` and `dispatch` name one role: planning is part of dispatching. */
const ALIASES: Readonly<Record<string, Role>> = { plan: "dispatch" }

/** What a text that names roles has to be, in the words of every place that takes one. */
export const ROLES_WANTED = `any of ${ROLES.join(", ")}, separated by commas, or all`

const namesIn = (text: string): ReadonlyArray<string> => text.split(",").map((part) => part.trim())

/** Those of a list's names that are no roles; quoted, because one may be empty. */
export const wrongRolesIn = (text: string): ReadonlyArray<string> =>
  namesIn(text).flatMap((name) =>
    name === "all" || name in ALIASES || ROLES.some((role) => role === name) ? [] : [`"${name}"`]
  )

const roles: Reader<ReadonlySet<Role>> = (text) => {
  const unknown = wrongRolesIn(text)
  if (unknown.length > 0) return wrong(`must be ${ROLES_WANTED}, not ${unknown.join(", ")}`)
  const names = namesIn(text)
  return new Set(names.includes("all") ? ROLES : names.map((name) => ALIASES[name] ?? (name as Role)))
}

const sender: Reader<string> = (text) =>
  isSender(text) ? text : wrong("must be an e-mail address, or a name and one: Heliograph <push@example.com>")

/** 32 bytes as 64 hexadecimal digits or as base64; a longer text that is neither is hashed to 32 bytes. Null: too short. */
export const masterKeyOf = (text: string): Uint8Array | null => {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64")
  if (bytes.length === 32) return new Uint8Array(bytes)
  return text.length >= 32 ? new Uint8Array(createHash("sha256").update(text).digest()) : null
}

export const MASTER_KEY_WANTED = "32 bytes, as 64 hexadecimal digits or base64, or a text of at least 32 characters"

const masterKey: Reader<Uint8Array> = (text) => masterKeyOf(text) ?? wrong(`must be ${MASTER_KEY_WANTED}`)

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 }

/** Durations separated by commas, in seconds unless they have a unit: `30,60` or `500ms,1m`. */
const durations: Reader<ReadonlyArray<number>> = (text) =>
  text.split(",").map((part) => {
    const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(part.trim()) ?? []
    const ms = Math.round(Number(amount) * UNITS[unit ?? "s"]!)
    return ms <= 86_400_000 ? ms : wrong("must be a list of seconds such as 30,60,120,240,480, each at most a day")
  })

/** `600/60`: 600 requests in every 60 seconds. */
const budget: Reader<Budget> = (text) => {
  const [, requests, seconds] = /^(\d{1,10})\/(\d{1,5})$/.exec(text) ?? []
  return Number(requests) >= 1 && Number(requests) <= 1e9 && Number(seconds) >= 1 && Number(seconds) <= 86_400
    ? { requests: Number(requests), windowMs: Number(seconds) * 1000 }
    : wrong("must be requests/seconds such as 600/60, at most 1000000000 in at most 86400 seconds")
}

const perMinute = (requests: number): Budget => ({ requests, windowMs: 60_000 })

/**
 * One for each core that this process may use, up to where the database is the limit. A single core gains nothing from
 * several. See docs/decisions/0014-process-per-core.md.
 */
const PROCESSES = Math.min(16, availableParallelism())

/**
 * Few enough that the processes of a node, each with one more to show that it lives, stay within the 100 connections that
 * PostgreSQL takes by default.
 */
const connectionsOf = (processes: number): number => Math.min(12, Math.max(4, Math.floor(80 / processes) - 1))

/** Connections that the embedded PostgreSQL takes, and what a node may have of them: commands and `doctor` need some. */
export const EMBEDDED_CONNECTIONS = 200
const MOST_EMBEDDED = EMBEDDED_CONNECTIONS - 10

/** Reads and checks the environment. All problems are told at once. */
export const read = (env: Readonly<Record<string, string | undefined>>): SettingsShape => {
  const problems: Array<string> = []
  const get = <A>(name: string, reader: Reader<A>, fallback: A): A => {
    const text = env[name]
    if (text === undefined || text.trim() === "") return fallback
    try {
      return reader(text.trim())
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
      return fallback
    }
  }
  const text: Reader<string> = (value) => value
  const port = get("PORT", integer(0, 65_535), 8080)
  const host = get("HOST", listenHost, "127.0.0.1")
  const databaseUrl = get<string | null>("DATABASE_URL", readDatabaseUrl, null)
  const key = get<Uint8Array | null>("MASTER_KEY", masterKey, null)
  if (databaseUrl !== null && key === null && !problems.some((problem) => problem.startsWith("MASTER_KEY"))) {
    problems.push(
      "MASTER_KEY must be set when DATABASE_URL is: 32 random bytes as hexadecimal digits, for example from `openssl rand -hex 32`"
    )
  }
  const processes = get("PROCESSES", integer(1, 256), PROCESSES)
  const derived = originAt(host, port)
  const baseUrl = get("BASE_URL", ownUrl, derived ?? UNKNOWN_ORIGIN)
  if (derived === null && baseUrl === UNKNOWN_ORIGIN && !problems.some((problem) => problem.startsWith("BASE_URL"))) {
    const why = port === 0 ? "PORT is 0, so that nobody knows the port before" : `HOST is ${host}`
    problems.push(`BASE_URL must be set when ${why}: the URL under which clients reach the service`)
  }
  const natsUrl = get<string | null>("NATS_URL", natsUrls, null)
  const nats = readNatsAccess(env, natsUrl)
  problems.push(...nats.problems)
  const files = new SettingFiles(env)
  files.check("OUTBOUND_CA_FILE", "a PEM file of certificate authorities", authoritiesIn)
  problems.push(...files.problems)
  const google = {
    clientId: get("OAUTH_GOOGLE_CLIENT_ID", credential, ""),
    clientSecret: get("OAUTH_GOOGLE_CLIENT_SECRET", credential, ""),
    issuer: get("OAUTH_GOOGLE_ISSUER", url("https:"), "https://accounts.google.com"),
    asksCode: get("OAUTH_GOOGLE_CODE", oneOf("on", "off"), "off") === "on"
  }
  const github = {
    clientId: get("OAUTH_GITHUB_CLIENT_ID", credential, ""),
    clientSecret: get("OAUTH_GITHUB_CLIENT_SECRET", credential, ""),
    baseUrl: get("OAUTH_GITHUB_BASE_URL", url("https:"), "https://github.com"),
    apiUrl: get("OAUTH_GITHUB_API_URL", url("https:"), "https://api.github.com")
  }
  /** Null without a client id; one of the two alone is a mistake. */
  const offered = <A extends OAuthClient>(name: string, client: A): A | null => {
    const [given, other] = client.clientId === "" ? ["SECRET", "ID"] : ["ID", "SECRET"]
    if ((client.clientId === "") !== (client.clientSecret === "")) {
      problems.push(`OAUTH_${name}_CLIENT_${other} must be set when OAUTH_${name}_CLIENT_${given} is`)
    }
    return client.clientId === "" ? null : client
  }
  const databaseConnections = get("DATABASE_CONNECTIONS", integer(2, 500), connectionsOf(processes))
  const connections = processes * (databaseConnections + 1)
  if (databaseUrl === null && connections > MOST_EMBEDDED) {
    problems.push(
      `PROCESSES × (DATABASE_CONNECTIONS + 1) is ${connections}, and the embedded PostgreSQL has room for ${MOST_EMBEDDED}: give less, or a server of your own with DATABASE_URL`
    )
  }
  const settings: SettingsShape = {
    port,
    host,
    baseUrl,
    dataDir: resolve(get("DATA_DIR", text, ".data")),
    databaseUrl,
    databaseConnections,
    processes,
    natsUrl,
    natsAccess: nats.access,
    natsReplicas: get("NATS_REPLICAS", integer(1, 5), 1),
    roles: get("ROLES", roles, new Set(ROLES)),
    masterKey: key,
    trustedProxies: get("TRUSTED_PROXIES", cidrs, []),
    rateLimits: {
      secret: get("RATE_LIMIT_SECRET", budget, perMinute(600_000)),
      public: get("RATE_LIMIT_PUBLIC", budget, perMinute(6_000)),
      devices: get("RATE_LIMIT_DEVICES", budget, perMinute(600)),
      public_total: get("RATE_LIMIT_PUBLIC_TOTAL", budget, perMinute(1_800_000)),
      session: get("RATE_LIMIT_SESSION", budget, perMinute(1_200)),
      anonymous: get("RATE_LIMIT_ANONYMOUS", budget, perMinute(300)),
      links: get("RATE_LIMIT_LINKS", budget, perMinute(6_000)),
      preflight: get("RATE_LIMIT_PREFLIGHT", budget, perMinute(6_000))
    },
    outboundAllowCidrs: get("OUTBOUND_ALLOW_CIDRS", cidrs, []),
    outboundCaFile: get<string | null>("OUTBOUND_CA_FILE", text, null),
    outboundNameServers: get<ReadonlyArray<string> | null>("OUTBOUND_NAME_SERVERS", nameServers, null),
    acceptLingerMs: get("ACCEPT_LINGER_MS", integer(0, 1000), 0),
    http2Transport: get("HTTP2_TRANSPORT", oneOf("own", "http2-wrapper"), "own"),
    webpushThreads: get("WEBPUSH_THREADS", integer(0, 256), 0),
    smtpUrl: get<string | null>("SMTP_URL", url("smtp:", "smtps:"), null),
    mailFrom: get("MAIL_FROM", sender, "Heliograph <heliograph@localhost>"),
    registration: get("REGISTRATION", oneOf("open", "invite"), "open"),
    externalSignIn: { google: offered("GOOGLE", google), github: offered("GITHUB", github) },
    // Links that lead to an engine nobody can reach would break the mail.
    emailTracking: get("EMAIL_TRACKING", oneOf("on", "off"), baseUrl.startsWith("https://") ? "on" : "off") === "on",
    retentionDays: get("RETENTION_DAYS", integer(1, 3650), 30),
    auditRetentionDays: get("AUDIT_RETENTION_DAYS", integer(1, 36_500), 365),
    inboxStreams: get("INBOX_STREAMS", integer(0, 1_000_000), 10_000),
    inboxStreamsPerApp: get("INBOX_STREAMS_PER_APP", integer(0, 1_000_000), 5_000),
    inboxStreamsPerUser: get("INBOX_STREAMS_PER_USER", integer(0, 1_000_000), 20),
    inboxStreamsPerAddress: get("INBOX_STREAMS_PER_ADDRESS", integer(0, 1_000_000), 1_000),
    connectionsPerAddress: get("CONNECTIONS_PER_ADDRESS", integer(1, 1_000_000), 2_000),
    otlpEndpoint: get<string | null>("OTLP_ENDPOINT", url("http:", "https:"), null),
    otlpHeaders: get("OTLP_HEADERS", headerList, {}),
    traceRatio: get("TRACE_RATIO", share, 0.01),
    logLevel: get("LOG_LEVEL", oneOf(...LOG_LEVELS), "info"),
    bodyLimit: get("BODY_LIMIT", bytes(1024, 1 << 30), 1 << 20),
    importLimit: get("IMPORT_LIMIT", bytes(1024, 2 ** 40), 2 ** 34),
    drainMs: get("DRAIN_TIMEOUT", integer(1, 3600), 30) * 1000,
    engine: {
      batchSize: get("BATCH_SIZE", integer(1, 10_000), 1000),
      planPage: get("PLAN_PAGE", integer(1, 50_000), 5000),
      dispatchConcurrency: get("DISPATCH_CONCURRENCY", integer(1, 1000), 16),
      leaseMs: get("LEASE_SECONDS", integer(1, 3600), 20) * 1000,
      sweepMs: get("SWEEP_SECONDS", integer(1, 3600), 2) * 1000,
      forgottenMs: get("FORGOTTEN_SECONDS", integer(1, 3600), 10) * 1000,
      retryBaseMs: get("RETRY_BASE_SECONDS", integer(1, 3600), 5) * 1000,
      retryMaxMs: get("RETRY_MAX_SECONDS", integer(1, 86_400), 3600) * 1000,
      defaultTimezone: get("DEFAULT_TIMEZONE", timeZone, "UTC"),
      defaultTtlMs: get("DEFAULT_TTL_SECONDS", integer(1, 2_419_200), 259_200) * 1000,
      webhookRetryDelaysMs: get("WEBHOOK_RETRY_DELAYS", durations, [30_000, 60_000, 120_000, 240_000, 480_000]),
      webhookTimeoutMs: get("WEBHOOK_TIMEOUT_SECONDS", integer(1, 60), 10) * 1000,
      webhookConcurrency: get("WEBHOOK_CONCURRENCY", integer(1, 1000), 32),
      webhookDisableAfter: get("WEBHOOK_DISABLE_AFTER", integer(1, 100_000), 50)
    }
  }
  const { retryBaseMs, retryMaxMs } = settings.engine
  if (retryMaxMs < retryBaseMs) {
    problems.push(
      `RETRY_MAX_SECONDS must be at least RETRY_BASE_SECONDS: they are ${retryMaxMs / 1000} and ${retryBaseMs / 1000}`
    )
  }
  if (problems.length > 0) throw new SettingsError({ problems })
  return settings
}

/** The settings of an environment, and the parts of them that the engine and the HTTP surface know by their ports. */
export const layer = (
  env: Readonly<Record<string, string | undefined>>
): Layer.Layer<Settings | EngineSettings | HttpSettings | PeopleSettings, SettingsError> =>
  Layer.unwrap(
    Effect.try({ try: () => read(env), catch: (error) => error as SettingsError }).pipe(
      Effect.map((settings) =>
        Layer.mergeAll(
          Layer.succeed(Settings, settings),
          Layer.succeed(EngineSettings, settings.engine),
          Layer.succeed(HttpSettings, settings),
          Layer.succeed(PeopleSettings, settings)
        )
      )
    )
  )
