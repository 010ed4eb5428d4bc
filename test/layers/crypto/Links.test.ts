import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import * as LinksLayer from "../../../layers/crypto/Links.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { AppId, ChannelId, NotificationId } from "../../../services/domain/Ids.ts"
import { Links } from "../../../services/ports/Links.ts"

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
    for (let at = 0; at < token.length - 1; at++) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
      expect(Option.isNone(links.openUnsubscribe(changed))).toBe(true)
    }
    for (const other of [token.slice(0, -1), `${token}A`, "", tokenOf(urlOf(linksWith(key(2))))]) {
      expect(Option.isNone(links.openUnsubscribe(other))).toBe(true)
    }
  })
})
