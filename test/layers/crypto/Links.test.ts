import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import * as LinksLayer from "../../../layers/crypto/Links.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { AppId, ChannelId, NotificationId } from "../../../services/domain/Ids.ts"
import { Links } from "../../../services/ports/engagement/Links.ts"

const linksWith = (...keys: ReadonlyArray<Uint8Array>) =>
  Effect.runSync(Links.pipe(Effect.provide(LinksLayer.layerOf("https://push.example.org", ...keys))))

const key = (n: number) => new Uint8Array(32).fill(n)
const ids = { appId: uuidv7() as AppId, channelId: uuidv7() as ChannelId, notificationId: uuidv7() as NotificationId }
const urlOf = (links: Links["Service"]) => links.unsubscribeUrl(ids.appId, ids.channelId, ids.notificationId)
const tokenOf = (url: string) => url.slice("https://push.example.org/u/".length)

describe("Links", () => {
  it("opens its own unsubscribe links, and those of an older key after a rotation", () => {
    const url = urlOf(linksWith(key(1)))
    expect(url).toMatch(/^https:\/\/push\.example\.org\/u\/[A-Za-z0-9_-]{86}$/)
    expect(linksWith(key(1)).openUnsubscribe(tokenOf(url))).toEqual(Option.some(ids))
    expect(linksWith(key(2), key(1)).openUnsubscribe(tokenOf(url))).toEqual(Option.some(ids))
  })

  it("opens no link that was changed anywhere, cut, lengthened, or signed with another key", () => {
    const links = linksWith(key(1))
    const token = tokenOf(urlOf(links))
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
      expect(Option.isNone(links.openUnsubscribe(changed))).toBe(true)
    }
    for (const other of [token.slice(0, -1), `${token}A`, "", tokenOf(urlOf(linksWith(key(2))))]) {
      expect(Option.isNone(links.openUnsubscribe(other))).toBe(true)
    }
  })

  it("signs destinations for one notification, and mails by recipient and second", () => {
    const links = linksWith(key(1))
    const sentAt = 1_790_000_000_000
    const token = links.mailToken({ ...ids, sentAt })
    expect(links.openMail(token)).toEqual(Option.some({ ...ids, sentAt }))
    expect(links.pixelUrl(token)).toBe(`https://push.example.org/o/${token}`)
    const destination = "https://example.org/?q=%C3%A9&b=1#part"
    const url = links.linkUrl(ids.notificationId, destination)(token)
    expect(url.startsWith(`https://push.example.org/c/${token}/`)).toBe(true)
    const link = url.slice(url.lastIndexOf("/") + 1)
    expect(linksWith(key(2), key(1)).openLink(ids.notificationId, link)).toEqual(Option.some(destination))
    expect(links.openLink(uuidv7() as NotificationId, link)).toEqual(Option.none())
    for (const [text, open] of [
      [token, (changed: string) => Option.isNone(links.openMail(changed))],
      [link, (changed: string) => Option.isNone(links.openLink(ids.notificationId, changed))]
    ] as const) {
      for (let at = 0; at < text.length; at++) {
        const changed = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1)
        expect(open(changed)).toBe(true)
      }
      for (const other of [text.slice(0, -1), `${text}A`, "", `${text}=`]) expect(open(other)).toBe(true)
    }
  })

  it("opens no token in the place of another kind", () => {
    const links = linksWith(key(1))
    const mail = links.mailToken({ ...ids, sentAt: 0 })
    const unsubscribe = tokenOf(urlOf(links))
    const url = links.linkUrl(ids.notificationId, "https://example.org/")(mail)
    const link = url.slice(url.lastIndexOf("/") + 1)
    for (const token of [mail, link]) expect(Option.isNone(links.openUnsubscribe(token))).toBe(true)
    for (const token of [unsubscribe, link]) expect(Option.isNone(links.openMail(token))).toBe(true)
    for (const token of [unsubscribe, mail]) expect(Option.isNone(links.openLink(ids.notificationId, token))).toBe(true)
  })
})
