import { createHash } from "node:crypto"
import { Subscriptions } from "./Subscriptions.ts"

/** Token prefixes to which the fleet answers that the token is dead. No ordinary token starts with one. */
export const DEAD_TOKENS = {
  ios: { unregistered: "dead0000", bad: "0bad0000", sandbox: "5a0d0000" },
  android: { unregistered: "gone", invalid: "vile", mismatch: "else" },
  web: { gone: "gone" }
} as const

/** The line of one device in POST /devices/import: the fields of spec 2.1. */
export interface Registration {
  readonly token: string
  readonly platform: "ios" | "android" | "web"
  readonly user_id: string
  readonly tags: ReadonlyArray<string>
  readonly timezone: string
  readonly environment: "production" | "sandbox"
  readonly metadata: Readonly<Record<string, string | number>>
  readonly web_push_p256dh?: string
  readonly web_push_auth?: string
}

export interface AudienceOptions {
  /** Where web push subscriptions live: the push service's URL. */
  readonly webPushOrigin: string
  readonly seed: string
  /** Every nth device has a token that its provider calls dead; none unless given. */
  readonly deadEvery?: number
  /** Of each ten devices; 4 ios, 4 android, 2 web unless given. */
  readonly mix?: { readonly ios: number; readonly android: number; readonly web: number }
}

const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Tokyo", "Africa/Nairobi", "America/Sao_Paulo"]
const LOCALES = ["de", "en", "ja", "sw", "pt"]
/** Every nth iOS device belongs to the sandbox. */
const SANDBOX_EVERY = 50

const hash = (text: string): Buffer => createHash("sha512").update(text).digest()

/** Devices and addresses that follow from the seed and their number alone, so that any process can name them. */
export class Audience {
  readonly #options: AudienceOptions
  readonly #subscriptions: Subscriptions
  readonly #platforms: ReadonlyArray<Registration["platform"]>

  constructor(options: AudienceOptions) {
    this.#options = options
    this.#subscriptions = new Subscriptions(options.seed)
    const { android, ios, web } = options.mix ?? { ios: 4, android: 4, web: 2 }
    this.#platforms = [
      ...Array.from({ length: ios }, () => "ios" as const),
      ...Array.from({ length: android }, () => "android" as const),
      ...Array.from({ length: web }, () => "web" as const)
    ]
  }

  isDead(index: number): boolean {
    const { deadEvery } = this.#options
    return deadEvery !== undefined && deadEvery > 0 && index % deadEvery === deadEvery - 1
  }

  platform(index: number): Registration["platform"] {
    return this.#platforms[index % this.#platforms.length]!
  }

  /** The registration of device `index`, from 0. */
  device(index: number): Registration {
    const platform = this.platform(index)
    const dead = this.isDead(index)
    const sandbox = platform === "ios" && !dead && Math.floor(index / this.#platforms.length) % SANDBOX_EVERY === 1
    const region = index % ZONES.length
    const common = {
      user_id: `user-${index}`,
      tags: [index % 2 === 0 ? "news" : "offers", `cohort-${index % 16}`],
      timezone: ZONES[region]!,
      environment: sandbox ? ("sandbox" as const) : ("production" as const),
      metadata: { locale: LOCALES[region]!, build: 100 + (index % 7) }
    }
    if (platform === "web") {
      const prefix = dead ? DEAD_TOKENS.web.gone : "s"
      const { auth, endpoint, p256dh } = this.#subscriptions.subscription(this.#options.webPushOrigin, index, prefix)
      return { token: endpoint, platform, ...common, web_push_p256dh: p256dh, web_push_auth: auth }
    }
    const bytes = hash(`${this.#options.seed} ${platform} ${index}`)
    if (platform === "ios") {
      const hex = bytes.toString("hex", 0, 32)
      const start = dead ? DEAD_TOKENS.ios.unregistered : sandbox ? DEAD_TOKENS.ios.sandbox : ""
      return { token: start + hex.slice(start.length), platform, ...common }
    }
    const text = bytes.toString("base64url")
    const start = dead ? DEAD_TOKENS.android.unregistered : "c"
    return {
      token: `${start}${text.slice(0, 22 - start.length)}:APA91b${text}${text.slice(0, 48)}`,
      platform,
      ...common
    }
  }

  /** `count` devices as NDJSON lines, each with its line end. */
  *lines(count: number, from = 0): Generator<string> {
    for (let index = from; index < from + count; index++) yield `${JSON.stringify(this.device(index))}\n`
  }

  email(index: number): string {
    return `reader-${index}@example.com`
  }
}
