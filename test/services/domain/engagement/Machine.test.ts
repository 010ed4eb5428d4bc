import { describe, expect, it } from "vitest"
import type { MailRequest } from "../../../../services/domain/engagement/Machine.ts"
import { isMachineMade } from "../../../../services/domain/engagement/Machine.ts"

const BROWSER =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
const SENT = 1_790_000_000_000

const made = (over: Partial<MailRequest> = {}, headers: MailRequest["headers"] = {}) =>
  isMachineMade({
    type: "opened",
    method: "GET",
    headers: { "user-agent": BROWSER, ...headers },
    sentAt: SENT,
    now: SENT + 60_000,
    ...over
  })

describe("what is read in a mail", () => {
  it("is a person's doing in a browser or a mail client, some time after the mail was sent", () => {
    expect(made()).toBe(false)
    expect(made({ type: "clicked" })).toBe(false)
    expect(made({}, { "user-agent": undefined })).toBe(false)
    expect(made({}, { "user-agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15" })).toBe(
      false
    )
  })

  it.each([
    "Mozilla/5.0",
    "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
    "Mozilla/5.0 (compatible; Googlebot/2.1)",
    "BarracudaCentral/5.0",
    "python-requests/2.31.0",
    "Go-http-client/2.0",
    "curl/8.5.0"
  ])("is a machine's doing when %s did it", (agent) => {
    expect(made({}, { "user-agent": agent })).toBe(true)
  })

  it.each([
    ["purpose", "prefetch"],
    ["sec-purpose", "prefetch;prerender"],
    ["x-purpose", "preview"],
    ["x-moz", "prefetch"]
  ])("is a machine's doing when it was fetched ahead: %s: %s", (name, value) => {
    expect(made({}, { [name]: value })).toBe(true)
  })

  it("is a machine's doing when only the head was asked for, or a link followed as soon as the mail was sent", () => {
    expect(made({ method: "HEAD" })).toBe(true)
    expect(made({ type: "clicked", now: SENT + 1000 })).toBe(true)
    expect(made({ type: "opened", now: SENT + 1000 })).toBe(false)
  })
})
