import { createHmac, timingSafeEqual } from "node:crypto"
import { WebhookVerificationError } from "./errors.js"

const TOLERANCE_SECONDS = 300

/**
 * Whether a delivery is genuine: over the raw bytes, in constant time, with one secret or any of several. The header has
 * one `v1`, and a further one for each former secret while a rotation lets them overlap.
 *
 * @type {typeof import("./types.js").verifyWebhook}
 */
export const verifyWebhook = (rawBody, header, secret, options = {}) => {
  // Not false: nothing is wrong with the delivery, and its sender must not be told so for ever.
  if (secret === undefined) throw new TypeError("secret is required")
  const { now = Math.floor(Date.now() / 1000), toleranceSeconds = TOLERANCE_SECONDS } = options
  const parts = String(Array.isArray(header) ? header.join(",") : (header ?? ""))
    .split(",")
    .map((part) => /** @type {[string, string?]} */ (part.trim().split("=", 2)))
  const t = parts.find(([name]) => name === "t")?.[1]
  if (t === undefined || !/^\d{1,12}$/.test(t) || !(Math.abs(now - Number(t)) <= toleranceSeconds)) return false
  const given = parts.flatMap(([name, value]) =>
    name === "v1" && value !== undefined && /^[0-9a-f]{64}$/.test(value) ? [Buffer.from(value, "hex")] : []
  )
  let isGenuine = false
  for (const one of typeof secret === "string" ? [secret] : secret) {
    // An empty key would accept what anybody can sign.
    if (one === "" || one === undefined) continue
    const expected = createHmac("sha256", one).update(`${t}.`).update(rawBody).digest()
    for (const signature of given) isGenuine = timingSafeEqual(expected, signature) || isGenuine
  }
  return isGenuine
}

/**
 * The event of a delivery that is genuine.
 *
 * @type {typeof import("./types.js").parseWebhook}
 */
export const parseWebhook = (rawBody, header, secret, options) => {
  // As with one that is undefined: nothing is wrong with the delivery.
  if (secret !== undefined && [secret].flat().every((one) => one === "" || one === undefined)) {
    throw new TypeError("secret is required, and is empty")
  }
  if (typeof rawBody !== "string" && !ArrayBuffer.isView(rawBody)) {
    throw new TypeError("rawBody is the body as it came, in bytes or as text: what was parsed has another signature")
  }
  if (!verifyWebhook(rawBody, header, secret, options)) {
    throw new WebhookVerificationError("The signature is missing, wrong, or too far from the clock")
  }
  return JSON.parse(typeof rawBody === "string" ? rawBody : Buffer.from(rawBody).toString("utf8"))
}
