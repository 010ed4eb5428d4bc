import { describe, expect, it } from "vitest"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import type { Message } from "../../../services/domain/sending/Notification.ts"
import { payloadOf } from "../../../layers/webpush/WebPushPayload.ts"
import { message } from "../Sending.ts"

const DEVICE = "01a1fbeb-b609-74f0-81a3-2762ff434392"

const NOTIFICATION = "01a1fbeb-b609-74f0-81a3-2762ff434393" as NotificationId

const payload = (changes: Partial<Message> = {}): Record<string, unknown> => {
  const { after, before } = payloadOf(message({ notificationId: NOTIFICATION, ...changes }))
  return JSON.parse(before + DEVICE + after) as Record<string, unknown>
}

interface Declared {
  readonly title: string
  readonly body: string | null
  readonly tag: string
  readonly navigate: string
  readonly mutable: boolean
}

/**
 * The "declarative push message parser" of the Push API (Editor's Draft of 2026), as far as it goes for our members: what
 * a browser shows by itself; null is a message for the worker alone.
 */
const declarationIn = (text: Record<string, unknown>, scope: string): Declared | null => {
  const { notification, web_push: version } = text
  if (version !== 8030 || typeof notification !== "object" || notification === null) return null
  const { body, navigate, tag, title } = notification as Record<string, unknown>
  if (typeof title !== "string" || typeof navigate !== "string") return null
  return {
    title,
    body: typeof body === "string" ? body : null,
    tag: typeof tag === "string" ? tag : "",
    navigate: new URL(navigate, scope).href,
    mutable: text["mutable"] === true
  }
}

const SCOPE = "https://shop.example.com/"

describe("the declaration of a Web Push message", () => {
  it("is what browsers that show messages by themselves expect, with where a click leads", () => {
    const content = { title: "Hello", body: "It works", url: "https://shop.example.com/orders/42" }
    expect(declarationIn(payload({ content }), SCOPE)).toEqual({
      title: "Hello",
      body: "It works",
      navigate: "https://shop.example.com/orders/42",
      tag: NOTIFICATION,
      mutable: true
    })
  })

  it("asks the worker first, in WebKit's way too, and says what the worker reads", () => {
    const text = payload({ content: { title: "Hello", body: "It works" } })
    expect(text).toMatchObject({
      title: "Hello",
      body: "It works",
      service_notification_id: NOTIFICATION,
      service_device_id: DEVICE,
      notification: { mutable: true, data: { service_notification_id: NOTIFICATION } }
    })
  })

  it("replaces what the worker has shown, and the other way round: both have one tag", () => {
    const content = { title: "Score" }
    const tagOf = (changes: Partial<Message>) => declarationIn(payload({ content, ...changes }), SCOPE)?.tag
    expect(tagOf({ collapseKey: "match-7" })).toBe("match-7")
    expect(tagOf({ collapseKey: "match-7", overrides: { web: { tag: "mine" } } })).toBe("mine")
  })

  it("leads to the site's first page where a message has no address, and has a title where it has only a body", () => {
    expect(declarationIn(payload({ content: { body: "Just this" } }), SCOPE)).toMatchObject({
      title: "Just this",
      body: null,
      navigate: SCOPE
    })
  })

  it("is left out of a message without words, and of one that would be too long with it", () => {
    expect(declarationIn(payload({ content: { data: { sync: "1" } } }), SCOPE)).toBeNull()
    const long = payload({ content: { title: "T", body: "x".repeat(3600) } })
    expect(declarationIn(long, SCOPE)).toBeNull()
    expect(long["body"]).toHaveLength(3600)
  })
})
