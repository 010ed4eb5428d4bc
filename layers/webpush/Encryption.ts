import { Effect } from "effect"
import webpush from "web-push"

/** A subscription's keys, base64url. */
export interface SubscriptionKeys {
  readonly p256dh: string | null
  readonly auth: string | null
}

/** Messages encrypted in a row before other work has its turn: each takes half a millisecond. */
const SLICE = 16

const encrypt = (keys: SubscriptionKeys, plaintext: string): Uint8Array | null => {
  if (keys.p256dh === null || keys.auth === null) return null
  try {
    return webpush.encrypt(keys.p256dh, keys.auth, Buffer.from(plaintext), "aes128gcm").cipherText
  } catch {
    return null
  }
}

/**
 * The bodies of RFC 8291 (aes128gcm), in order, with a key pair of its own for each. Null where a subscription's keys
 * are unusable: not a point of the curve, or of the wrong length.
 */
export const encryptAll: (
  count: number,
  keys: (index: number) => SubscriptionKeys,
  plaintext: (index: number) => string
) => Effect.Effect<ReadonlyArray<Uint8Array | null>> = Effect.fnUntraced(function* (count, keys, plaintext) {
  const bodies: Array<Uint8Array | null> = []
  while (bodies.length < count) {
    if (bodies.length > 0) yield* Effect.yieldNow
    for (const end = Math.min(count, bodies.length + SLICE); bodies.length < end;) {
      bodies.push(encrypt(keys(bodies.length), plaintext(bodies.length)))
    }
  }
  return bodies
})
