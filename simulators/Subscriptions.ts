import { createECDH, createHash, createHmac, type ECDH } from "node:crypto"

/** A browser's push subscription, as the browser gives it to a page. */
export interface Subscription {
  readonly endpoint: string
  /** 65 bytes, base64url without padding. */
  readonly p256dh: string
  /** 16 bytes, base64url without padding. */
  readonly auth: string
}

/** Key pairs that all subscriptions share: making one takes longer than checking a message. */
const POOL = 64

/**
 * Subscriptions that follow from a seed and a number, so that the push service can decrypt for ten thousand of them
 * without having been told of any. Each has its own endpoint and auth secret; key pairs come from a small pool.
 */
export class Subscriptions {
  readonly #seed: string
  readonly #pairs: ReadonlyArray<ECDH>
  readonly #publicKeys: ReadonlyArray<string>

  constructor(seed: string, pool: number = POOL) {
    this.#seed = seed
    this.#pairs = Array.from({ length: pool }, (_, index) => {
      const pair = createECDH("prime256v1")
      // A hash is a valid scalar of P-256 but for one in 2^32 of them.
      pair.setPrivateKey(createHash("sha256").update(`${seed} pair ${index}`).digest())
      return pair
    })
    this.#publicKeys = this.#pairs.map((pair) => pair.getPublicKey("base64url"))
  }

  #derive(id: string, purpose: string): Buffer {
    return createHmac("sha256", this.#seed).update(`${purpose} ${id}`).digest()
  }

  /** The subscription at `index`. A `prefix` (letters) tells kinds apart, for example those that are gone. */
  subscription(origin: string, index: number, prefix = "s"): Subscription {
    const number = `${prefix}.${index}`
    const id = `${number}.${this.#derive(number, "id").toString("base64url").slice(0, 22)}`
    return {
      endpoint: `${origin}/push/${id}`,
      p256dh: this.#publicKeys[index % this.#publicKeys.length]!,
      auth: this.auth(id)
    }
  }

  /** The private keys of a subscription's id, or undefined when no such id was ever given out. */
  keys(id: string): { readonly prefix: string; readonly pair: ECDH } | undefined {
    const parts = /^([a-z]+)\.(\d{1,12})\.([A-Za-z0-9_-]{22})$/.exec(id)
    if (parts === null) return undefined
    const number = `${parts[1]}.${parts[2]}`
    if (this.#derive(number, "id").toString("base64url").slice(0, 22) !== parts[3]) return undefined
    return { prefix: parts[1]!, pair: this.#pairs[Number(parts[2]) % this.#pairs.length]! }
  }

  /** base64url of 16 bytes. */
  auth(id: string): string {
    return this.#derive(id, "auth").subarray(0, 16).toString("base64url")
  }
}
