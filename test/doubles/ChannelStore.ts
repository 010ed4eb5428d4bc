import { Layer, Option } from "effect"
import type { Channel } from "../../services/domain/Channel.ts"
import type { AppId, ChannelId, ContactId } from "../../services/domain/Ids.ts"
import { uuidv7 } from "../../services/domain/Ids.ts"
import { ChannelStore } from "../../services/ports/ChannelStore.ts"
import type { Outage } from "./Outage.ts"
import { pageOf } from "./Outage.ts"

/** Channels in a list; contacts are ids by the application's own user id. */
export class ChannelTable {
  rows: Array<Channel & { readonly appId: AppId }> = []
  readonly contacts = new Map<string, ContactId>()

  #contact(appId: AppId, userId: string): ContactId {
    const key = `${appId}:${userId}`
    const id = this.contacts.get(key) ?? (uuidv7() as ContactId)
    this.contacts.set(key, id)
    return id
  }

  layer(outage: Outage): Layer.Layer<ChannelStore> {
    const of = (appId: AppId) => this.rows.filter((row) => row.appId === appId)
    return Layer.succeed(ChannelStore, {
      upsert: (appId, channels) =>
        outage.run("upsert", () =>
          channels.map(({ kind, address, user_id }) => {
            const old = of(appId).find((row) => row.address?.toLowerCase() === address.toLowerCase())
            if (old !== undefined) return { id: old.id, created: false }
            const id = uuidv7() as ChannelId
            const contactId = typeof user_id === "string" ? this.#contact(appId, user_id) : null
            this.rows.push({ id, appId, kind, address, contactId, status: "active", createdAt: Date.now() })
            return { id, created: true }
          })
        ),
      find: (appId, id) => outage.run("find", () => Option.fromUndefinedOr(of(appId).find((row) => row.id === id))),
      list: (appId, after, limit) => outage.run("list", () => pageOf(of(appId), after, limit)),
      remove: (appId, id) =>
        outage.run("remove", () => {
          const isThere = of(appId).some((row) => row.id === id)
          if (isThere) this.rows = this.rows.filter((row) => row.id !== id)
          return isThere
        }),
      among: (appId, ids) =>
        outage.run("among", () =>
          of(appId)
            .filter(({ id }) => ids.includes(id))
            .map(({ id, kind, status }) => ({ id, active: kind === "email" && status === "active" }))
        )
    })
  }
}
