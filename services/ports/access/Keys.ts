import { Context } from "effect"
import type { KeyKind } from "../../domain/access/Application.ts"

/** API keys, HMACs and comparisons. Everything here is synchronous and free of I/O. */
export class Keys extends Context.Service<
  Keys,
  {
    /** A new key: `sk_` or `pk_`, at least 128 random bits, a checksum. */
    readonly generate: (kind: KeyKind) => string
    /** The kind a key's text claims, or null when its form or checksum is wrong: such a key costs no query. */
    readonly parse: (key: string) => KeyKind | null
    /** SHA-256 of a key's text: all that is kept of it. */
    readonly hash: (key: string) => Uint8Array
    /** A random secret of 256 bits, as text. */
    readonly secret: () => string
    /** Hex HMAC-SHA256 over the UTF-8 bytes of a text. */
    readonly hmac: (secret: string, text: string) => string
    /** Compares in constant time. */
    readonly equal: (a: string, b: string) => boolean
    /** A P-256 pair for VAPID, both halves base64url without padding. */
    readonly vapidPair: () => { readonly publicKey: string; readonly privateKey: string }
  }
>()("heliograph/ports/Keys") {}
