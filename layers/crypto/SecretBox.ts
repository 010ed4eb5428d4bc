import { Effect, Layer } from "effect"
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto"
import { SecretBox, SecretUnreadable } from "../../services/ports/access/SecretBox.ts"
import { Settings } from "../config/Settings.ts"
import type { MasterKeyUnusable } from "./MasterKey.ts"
import { masterKeys } from "./MasterKey.ts"

/**
 * Sealed bytes: version (1) · key id (4) · nonce (12) · ciphertext · tag (16).
 * The authenticated data is the head up to the nonce, then the place: neither can be exchanged.
 */
const VERSION = 1
const ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + ID_BYTES
const BODY_AT = HEAD_BYTES + NONCE_BYTES

interface Key {
  readonly id: Buffer
  readonly bytes: Uint8Array
}

/** Follows from the key, so that nobody has to number keys; it says nothing about the key. */
const keyOf = (bytes: Uint8Array): Key => {
  if (bytes.length !== 32) throw new Error("a master key must have 32 bytes")
  return {
    id: hash("sha256", Buffer.concat([Buffer.from("heliograph key id\0"), bytes]), "buffer").subarray(0, 4),
    bytes
  }
}

const make = (keys: ReadonlyArray<Uint8Array>, mayReplace: boolean): SecretBox["Service"] => {
  const known = keys.map(keyOf)
  const sealing = known[0]
  if (sealing === undefined) throw new Error("there must be a master key")
  return {
    keyId: sealing.id.toString("hex"),
    keyIds: known.map(({ id }) => id.toString("hex")),
    mayReplace,
    keyIdOf: (sealed) => Buffer.from(sealed.subarray(1, HEAD_BYTES)).toString("hex"),
    seal: (place, plaintext) => {
      const head = Buffer.concat([Buffer.of(VERSION), sealing.id])
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv("aes-256-gcm", sealing.bytes, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.concat([head, Buffer.from(place, "utf8")]))
      const body = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()])
      return new Uint8Array(Buffer.concat([head, nonce, body, cipher.getAuthTag()]))
    },
    open: (place, sealed) =>
      Effect.try({
        try: () => {
          const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
          if (bytes.length < BODY_AT + TAG_BYTES || bytes[0] !== VERSION) throw new Error("not sealed bytes")
          const key = known.find((key) => key.id.equals(bytes.subarray(1, HEAD_BYTES)))
          if (key === undefined) throw new Error("sealed with an unknown key")
          const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(HEAD_BYTES, BODY_AT), {
            authTagLength: TAG_BYTES
          })
          decipher.setAAD(Buffer.concat([bytes.subarray(0, HEAD_BYTES), Buffer.from(place, "utf8")]))
          decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
          return Buffer.concat([decipher.update(bytes.subarray(BODY_AT, -TAG_BYTES)), decipher.final()]).toString(
            "utf8"
          )
        },
        // All failures look alike: which of them it was helps only somebody who tampers.
        catch: () => new SecretUnreadable({ place })
      })
  }
}

/** The first key seals, each of them opens what was sealed with it. Keys are 32 bytes. */
export const layerOf = (...keys: ReadonlyArray<Uint8Array>): Layer.Layer<SecretBox> =>
  Layer.sync(SecretBox, () => make(keys, true))

/** With the master key of the settings or the data directory. */
export const layer: Layer.Layer<SecretBox, MasterKeyUnusable, Settings> = Layer.effect(
  SecretBox,
  Effect.gen(function* () {
    const { masterKey } = yield* Settings
    const keys = yield* masterKeys
    // The key of the environment comes first, those of the file behind it.
    const isInFile = masterKey === null || keys.slice(1).some((key) => Buffer.compare(key, masterKey) === 0)
    return make(keys, isInFile)
  })
)
