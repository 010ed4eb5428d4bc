import { describe, expect, it } from "vitest"
import { payloadOf as apns } from "../../layers/apns/ApnsPayload.ts"
import { payloadOf as fcm } from "../../layers/fcm/FcmPayload.ts"
import { payloadOf as web } from "../../layers/webpush/WebPushPayload.ts"
import { inboxContentOf } from "../../services/domain/inbox/Inbox.ts"
import type { Content } from "../../services/domain/sending/Notification.ts"
import { message } from "./Sending.ts"

/** What an app, a page or a person reads of a content, by the way that it takes. */
const written = (content: Content) => {
  const sent = message({ content })
  const whole = ({ after, before }: { readonly before: string; readonly after: string }) =>
    JSON.parse(`${before}DEVICE${after}`)
  return {
    apns: whole(apns(sent, "org.example.app").template),
    fcm: JSON.parse(fcm(sent, 0).body("token", "DEVICE")).message.data,
    web: whole(web(sent)),
    inbox: inboxContentOf(content)
  }
}

const OURS = "https://example.com/ours"
const THEIRS = "https://example.com/theirs"

describe("the payloads of all providers", () => {
  it("have the content's url as `url`, whatever the data says, and leave a url of the data where the data is", () => {
    const { apns, fcm, inbox, web } = written({ title: "A", url: OURS, data: { url: THEIRS, n: "1" } })
    expect([apns.url, fcm.url, web.url, inbox.url]).toEqual([OURS, OURS, OURS, OURS])
    for (const data of [apns.data, web.data, inbox.data]) expect(data).toEqual({ url: THEIRS, n: "1" })
    // The data of FCM is flat: the name is taken.
    expect(fcm.n).toBe("1")
  })

  it("have no url but the data's own when the content has none", () => {
    const { apns, fcm, inbox, web } = written({ title: "A", data: { url: THEIRS } })
    expect([apns.url, web.url, inbox.url]).toEqual([undefined, undefined, null])
    expect([apns.data.url, fcm.url, web.data.url, inbox.data["url"]]).toEqual([THEIRS, THEIRS, THEIRS, THEIRS])
  })
})
