import { Layer, Option } from "effect"
import type { Channel } from "../../../services/domain/audience/Channel.ts"
import type { AppId, ChannelId, ContactId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import type { Outage } from "../Outage.ts"
import { pageOf } from "../Outage.ts"

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
      ensureInbox: (appId, userId) =>
        outage.run("ensureInbox", () => {
          const contactId = this.#contact(appId, userId)
          const old = of(appId).find((row) => row.kind === "inbox" && row.contactId === contactId)
          if (old !== undefined) return { id: old.id, created: false }
          const id = uuidv7() as ChannelId
          this.rows.push({
            id,
            appId,
            kind: "inbox",
            address: null,
            contactId,
            status: "active",
            createdAt: Date.now()
          })
          return { id, created: true }
        }),
      subscribe: (appId, id, isWanted) =>
        outage.run("subscribe", () => {
          const at = this.rows.findIndex((row) => row.appId === appId && row.id === id && row.kind === "email")
          if (at === -1) return Option.none()
          const was = this.rows[at]!
          const wanted = isWanted ? ("active" as const) : ("unsubscribed" as const)
          const row = was.status === "suppressed" ? was : { ...was, status: wanted }
          this.rows[at] = row
          return Option.some(row)
        }),
      find: (appId, id) => outage.run("find", () => Option.fromUndefinedOr(of(appId).find((row) => row.id === id))),
      list: (appId, { address, contactId, status }, after, limit) =>
        outage.run("list", () =>
          pageOf(
            of(appId).filter(
              (row) =>
                (status ?? row.status) === row.status &&
                (contactId ?? row.contactId) === row.contactId &&
                (address === undefined || row.address?.toLowerCase() === address.toLowerCase())
            ),
            after,
            limit
          )
        ),
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
            .map(({ id, kind, status }) => ({ id, kind, active: status !== "suppressed" }))
        )
    })
  }
}
