import { mkdtemp, rm } from "node:fs/promises"
import { isIP } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Apns from "./Apns.ts"
import { DEAD_TOKENS } from "./Audience.ts"
import { writeCa } from "./Certificates.ts"
import { startControl, type Controlled } from "./Control.ts"
import * as Fcm from "./Fcm.ts"
import { keepPorts, keptPorts } from "./KeptPorts.ts"
import { keepSecrets, makeSecrets, publicPem } from "./Secrets.ts"
import type { Listen, Running } from "./Simulator.ts"
import * as Smtp from "./Smtp.ts"
import * as Webhooks from "./Webhooks.ts"
import * as WebPush from "./WebPush.ts"

export type SimulatorName = "apns" | "apns-sandbox" | "fcm" | "webpush" | "smtp" | "webhooks"

export interface FleetOptions {
  /** Where to listen; 127.0.0.1 unless given. */
  readonly host?: string
  /** The name or address under which clients reach the fleet, if it is not `host`; certificates are made out to it. */
  readonly advertise?: string
  /** For those that are not named, or 0: the port of the last fleet of this folder, or any free one. */
  readonly ports?: Readonly<Partial<Record<SimulatorName | "browsers" | "control", number>>>
  /**
   * Where ca.pem, the fleet's secrets and its ports are kept, so that a restarted fleet has the same credentials. Without
   * one they are new each time, and ca.pem lies in a temporary folder that goes with the fleet.
   */
  readonly folder?: string
  /** Customers' servers; two, `one` and `two`, unless given. A receiver's secret is the fleet's unless null. */
  readonly receivers?: ReadonlyArray<{ readonly name: string; readonly secret?: string | null }>
  /** See WebPush.ts. */
  readonly decrypt?: "all" | number
  /** Whether mail is offered STARTTLS; not unless given. */
  readonly starttls?: boolean
  /** Whether every mail must offer one-click unsubscription; not unless given. */
  readonly bulkMail?: boolean
  /** See Apns.ts. */
  readonly tokenUpdates?: number
}

/** What a sender needs to use the fleet. Plain data: it travels between processes as one line of JSON. */
export interface FleetDescription {
  /** The path of the authority's certificate (OUTBOUND_CA_FILE). */
  readonly ca: string
  /** The control API's URL. */
  readonly control: string
  readonly urls: Readonly<Record<SimulatorName, string>>
  /** For Firefox's preference dom.push.serverURL: the Web Push service, as browsers see it. */
  readonly browserPush: string
  /** Bodies for PUT /credentials/<name>. */
  readonly credentials: {
    readonly apns: {
      readonly team_id: string
      readonly key_id: string
      readonly private_key: string
      readonly bundle_id: string
      readonly endpoint: string
      readonly sandbox_endpoint: string
    }
    readonly fcm: {
      readonly service_account: {
        readonly type: "service_account"
        readonly project_id: string
        readonly private_key_id: string
        readonly private_key: string
        readonly client_email: string
        readonly client_id: string
        readonly token_uri: string
      }
      readonly endpoint: string
    }
    readonly webpush: { readonly subject: string; readonly public_key: string; readonly private_key: string }
    readonly smtp: { readonly url: string; readonly from: string }
  }
  readonly receivers: ReadonlyArray<{ readonly name: string; readonly url: string; readonly secret: string | null }>
  /** For Audience.ts: what devices and addresses are derived from. */
  readonly audience: { readonly webPushOrigin: string; readonly seed: string }
  /** The settings that an engine needs beside the credentials. */
  readonly settings: { readonly OUTBOUND_CA_FILE: string; readonly OUTBOUND_ALLOW_CIDRS: string }
}

export interface Fleet {
  readonly description: FleetDescription
  readonly apns: Running
  readonly apnsSandbox: Running
  readonly fcm: Fcm.RunningFcm
  readonly webpush: WebPush.RunningWebPush
  readonly smtp: Smtp.RunningSmtp
  readonly webhooks: Webhooks.RunningWebhooks
  readonly close: () => Promise<void>
}

/** The networks that an engine must be allowed to call: the one address, or all private ones behind a name. */
const networksOf = (host: string): string => {
  if (host === "0.0.0.0" || host === "localhost") return "127.0.0.0/8,::1/128"
  if (host === "::") return "::1/128"
  const family = isIP(host)
  if (family !== 0) return `${host}/${family === 4 ? 32 : 128}`
  return "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
}

/** Starts all simulators with credentials that fit each other, and the control API. */
export const startFleet = async (options: FleetOptions = {}): Promise<Fleet> => {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "heliograph-fleet-")))
  const host = options.host ?? "127.0.0.1"
  const advertise = options.advertise === undefined ? {} : { advertise: options.advertise }
  const hosts = [...new Set(["localhost", "127.0.0.1", "::1", host, ...Object.values(advertise)])]
  const started: Array<{ readonly close: () => Promise<void> }> = []
  const closeAll = async (): Promise<void> => {
    try {
      await Promise.all(started.map((running) => running.close()))
    } finally {
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
    }
  }
  const kept = options.folder === undefined ? {} : await keptPorts(folder, host)
  const portOf = (name: keyof NonNullable<FleetOptions["ports"]>): number => options.ports?.[name] || (kept[name] ?? 0)
  const at = (name: SimulatorName | "control"): Listen => ({ ...advertise, host, port: portOf(name) })
  const run = async <A extends { readonly close: () => Promise<void> }>(starting: Promise<A>): Promise<A> => {
    const running = await starting
    started.push(running)
    return running
  }
  try {
    const secrets = options.folder === undefined ? makeSecrets(hosts) : await keepSecrets(folder, hosts)
    const { certificates } = secrets
    const ca = await writeCa(certificates, folder)
    const apnsOptions = {
      certificates,
      teamId: secrets.teamId,
      keyId: secrets.keyId,
      publicKey: publicPem(secrets.apnsKey),
      bundleId: secrets.bundleId,
      tokens: DEAD_TOKENS.ios,
      ...(options.tokenUpdates === undefined ? {} : { tokenUpdates: options.tokenUpdates })
    }
    const apns = await run(Apns.start({ ...apnsOptions, ...at("apns"), environment: "production" }))
    const apnsSandbox = await run(Apns.start({ ...apnsOptions, ...at("apns-sandbox"), environment: "sandbox" }))
    const fcm = await run(
      Fcm.start({
        ...at("fcm"),
        certificates,
        projectId: secrets.projectId,
        clientEmail: secrets.clientEmail,
        publicKey: publicPem(secrets.serviceKey),
        keyId: secrets.serviceKeyId,
        tokens: DEAD_TOKENS.android
      })
    )
    const webpush = await run(
      WebPush.start({
        ...at("webpush"),
        browserPort: portOf("browsers"),
        certificates,
        seed: secrets.seed,
        applicationServerKey: secrets.vapidPublicKey,
        decrypt: options.decrypt ?? "all",
        gone: DEAD_TOKENS.web.gone
      })
    )
    const smtp = await run(
      Smtp.start({
        ...at("smtp"),
        ...(options.starttls ? { certificates } : {}),
        auth: { user: secrets.mailUser, pass: secrets.mailPass },
        bulk: options.bulkMail ?? false,
        unknown: "nobody"
      })
    )
    const webhooks = await run(
      Webhooks.start({
        ...at("webhooks"),
        receivers: (options.receivers ?? [{ name: "one" }, { name: "two" }]).map(({ name, secret }) => ({
          name,
          secret: secret === null ? undefined : (secret ?? `${secrets.webhookSecret}-${name}`)
        }))
      })
    )
    const simulators: ReadonlyMap<string, Controlled> = new Map<string, Controlled>([
      ["apns", apns],
      ["apns-sandbox", apnsSandbox],
      ["fcm", fcm],
      ["webpush", webpush],
      ["smtp", smtp],
      ["webhooks", webhooks],
      ...webhooks.receivers.map((receiver) => [`webhooks/${receiver.name}`, receiver] as const)
    ])
    const describe = (control: string): FleetDescription => ({
      ca,
      control,
      urls: {
        apns: apns.url,
        "apns-sandbox": apnsSandbox.url,
        fcm: fcm.url,
        webpush: webpush.url,
        smtp: smtp.url,
        webhooks: webhooks.url
      },
      browserPush: webpush.browsers.url,
      credentials: {
        apns: {
          team_id: secrets.teamId,
          key_id: secrets.keyId,
          private_key: secrets.apnsKey,
          bundle_id: secrets.bundleId,
          endpoint: apns.url,
          sandbox_endpoint: apnsSandbox.url
        },
        fcm: {
          service_account: {
            type: "service_account",
            project_id: secrets.projectId,
            private_key_id: secrets.serviceKeyId,
            private_key: secrets.serviceKey,
            client_email: secrets.clientEmail,
            client_id: "100000000000000000000",
            token_uri: fcm.tokenUri
          },
          endpoint: fcm.url
        },
        webpush: {
          subject: "mailto:operator@example.com",
          public_key: secrets.vapidPublicKey,
          private_key: secrets.vapidPrivateKey
        },
        smtp: { url: smtp.url, from: "Heliograph <news@example.com>" }
      },
      receivers: webhooks.receivers.map(({ name, secret, url }) => ({ name, url, secret: secret ?? null })),
      audience: { webPushOrigin: webpush.url, seed: secrets.seed },
      settings: { OUTBOUND_CA_FILE: ca, OUTBOUND_ALLOW_CIDRS: networksOf(options.advertise ?? host) }
    })
    let description: FleetDescription | undefined
    const control = await run(
      startControl({
        ...at("control"),
        simulators,
        description: () => description,
        reset: () => {
          for (const running of [apns, apnsSandbox, fcm, webpush, smtp, webhooks]) running.reset()
        },
        revokeTokens: fcm.revokeTokens
      })
    )
    description = describe(control.url)
    if (options.folder !== undefined) {
      const urls = { ...description.urls, browsers: description.browserPush, control: description.control }
      const ports = Object.entries(urls).map(([name, url]) => [name, Number(new URL(url).port)] as const)
      await keepPorts(folder, Object.fromEntries(ports))
    }
    return { description, apns, apnsSandbox, fcm, webpush, smtp, webhooks, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/**
 * The fleet as a process of its own: prints its description as one line of JSON, serves until a signal ends it, or the
 * end of the process that forked it.
 */
const runFleet = async (options: FleetOptions = {}): Promise<void> => {
  // From the first moment on: a fleet that is told to end while it starts removes what it has made as well.
  const ended = new Promise<void>((resolve) => {
    for (const event of ["SIGINT", "SIGTERM", "disconnect"]) process.once(event, () => resolve())
  })
  const fleet = await startFleet(options)
  process.stdout.write(`${JSON.stringify(fleet.description)}\n`)
  await ended
  await fleet.close()
}

if (import.meta.main) {
  await runFleet(JSON.parse(process.argv[2] ?? "{}") as FleetOptions)
  // Delayed answers and hanging requests would keep the process.
  process.exit(0)
}
