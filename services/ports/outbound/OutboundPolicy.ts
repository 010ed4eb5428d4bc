import type { Effect } from "effect"
import { Context, Schema } from "effect"

/** The address may not be called. The message is for the customer and names no resolved address. */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  message: Schema.String,
  /** Whether it may be different later (DNS did not answer), or not before the URL or the settings change. */
  transient: Schema.Boolean,
  /** The setting by which the operator can allow it. It, too, names nothing but what the customer wrote. */
  setting: Schema.optionalKey(Schema.String)
}) {
  /** Why, with the way out, where there is one. */
  get words(): string {
    return this.setting === undefined
      ? this.message
      : `${this.message}, unless the operator of this service opens its network with ${this.setting}`
  }

  /** For whoever has just given the address, as what follows its field's name. */
  get advice(): string {
    return `cannot be called: ${this.words}`
  }
}

/** A URL whose host was resolved and checked: connect to `address`, keep the name for Host and SNI. */
export interface CheckedUrl {
  readonly url: URL
  /** An IPv4 or IPv6 literal without brackets: the first of `addresses`. */
  readonly address: string
  readonly family: 4 | 6
  /** Everything that the name resolves to, all of it checked; IPv4 first. */
  readonly addresses: ReadonlyArray<string>
  readonly port: number
}

/** The rules for every address that a customer can name (security.md): public addresses only, unless opened by setting. */
export class OutboundPolicy extends Context.Service<
  OutboundPolicy,
  {
    /**
     * What can be said against a URL without asking anybody: its syntax, an address that stands in it literally, and a
     * name that no public host can have. Null when only `check` can tell.
     */
    readonly refusal: (url: string, protocols?: ReadonlyArray<"http:" | "https:">) => OutboundRefused | null
    /** Parses once, checks protocol, user info and port, resolves A and AAAA with a deadline; one bad address refuses all. */
    readonly check: (
      url: string,
      protocols?: ReadonlyArray<"http:" | "https:">
    ) => Effect.Effect<CheckedUrl, OutboundRefused>
    /** Resolves and checks a bare host and port, for protocols that have no http URL (SMTP). */
    readonly checkHost: (
      host: string,
      port: number
    ) => Effect.Effect<{ readonly address: string; readonly family: 4 | 6 }, OutboundRefused>
    /** Whether an address literal may be called; for `remoteAddress` after connecting. */
    readonly allows: (address: string) => boolean
  }
>()("heliograph/ports/OutboundPolicy") {}
