/**
 * Who looks at mail that is no person: scanners that follow links before a mail is shown, clients that load images
 * ahead, proxies that load them for everybody. What they open and click counts apart.
 */

export interface MailRequest {
  readonly type: "opened" | "clicked"
  readonly method: string
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Epoch milliseconds. */
  readonly sentAt: number
  readonly now: number
}

/** Nobody has read a mail and chosen a link in it so soon after it was sent; scanners on its way have. */
const TOO_SOON_MS = 5_000

/**
 * Google's and Yahoo's image proxies, security gateways, link previews, and programs that name themselves as such. Apple's
 * Mail Privacy Protection says `Mozilla/5.0` and no more.
 */
const MACHINES =
  /^mozilla\/5\.0$|googleimageproxy|yahoomailproxy|barracuda|proofpoint|mimecast|trendmicro|symantec|fireeye|forcepoint|sophos|cloudmark|ironport|safelinks|bingpreview|bot\b|\b(?:crawler|spider|slurp|preview|scanner)\b|headlesschrome|phantomjs|python-|go-http-client|curl\/|wget\/|okhttp\/|java\//i

const PREFETCH = ["purpose", "sec-purpose", "x-purpose", "x-moz"] as const

export const isMachineMade = ({ headers, method, now, sentAt, type }: MailRequest): boolean =>
  method === "HEAD" ||
  PREFETCH.some((name) => /prefetch|preview|prerender/i.test(headers[name] ?? "")) ||
  MACHINES.test(headers["user-agent"]?.trim() ?? "") ||
  (type === "clicked" && now < sentAt + TOO_SOON_MS)
