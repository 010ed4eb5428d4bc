import { Effect } from "effect"

const fromBase64url = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.fromBase64(text, { alphabet: "base64url" })

/** Whether the halves (P-256, base64url) belong together: signs with one and verifies with the other. */
export const isVapidPair = (publicKey: string, privateKey: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    try {
      const [point, d] = [fromBase64url(publicKey), privateKey]
      const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) =>
        half.toBase64({ alphabet: "base64url", omitPadding: true })
      )
      const curve = { name: "ECDSA", namedCurve: "P-256" }
      const signing = { name: "ECDSA", hash: "SHA-256" }
      const jwk = { kty: "EC", crv: "P-256", x: x!, y: y!, d }
      const text = new Uint8Array(32)
      const secret = await crypto.subtle.importKey("jwk", jwk, curve, false, ["sign"])
      const open = await crypto.subtle.importKey("raw", point, curve, false, ["verify"])
      return await crypto.subtle.verify(signing, open, await crypto.subtle.sign(signing, secret, text), text)
    } catch {
      return false
    }
  })
