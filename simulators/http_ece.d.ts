declare module "http_ece" {
  import type { ECDH } from "node:crypto"

  /** Decrypts a body of RFC 8188; with `privateKey` and `authSecret`, one of RFC 8291. Throws when it cannot. */
  export function decrypt(
    body: Buffer,
    parameters: { readonly version: "aes128gcm"; readonly privateKey: ECDH; readonly authSecret: string }
  ): Buffer
}
