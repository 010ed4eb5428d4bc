import type { WebhookAnswer } from "../../ports/webhooks/WebhookClient.ts"

/* What a webhook's post says beside its body, and what its answer means. */

const CONTENT_TYPE = ["content-type", "application/json"] as const
const USER_AGENT = ["user-agent", "Heliograph-Webhooks/1"] as const

/**
 * Headers of one attempt (spec 6.1, 6.2): the signature is over the bytes that are sent, its time is the attempt's. While
 * a secret is rotated there is one `v1` for each secret, the current one's first.
 */
export const deliveryHeaders = (
  secrets: ReadonlyArray<string>,
  body: string,
  nowMs: number,
  hmac: (secret: string, text: string) => string
): ReadonlyArray<readonly [string, string]> => {
  const headers: Array<readonly [string, string]> = [CONTENT_TYPE, USER_AGENT]
  if (secrets.length > 0) {
    const t = Math.floor(nowMs / 1000)
    const signed = `${t}.${body}`
    let signature = `t=${t}`
    for (const secret of secrets) signature += `, v1=${hmac(secret, signed)}`
    headers.push(["x-service-signature", signature])
  }
  return headers
}

export const failureOf = (answer: WebhookAnswer): string | null =>
  answer._tag === "NoAnswer"
    ? answer.reason
    : answer.status >= 200 && answer.status < 300
      ? null
      : `answered ${answer.status}`
