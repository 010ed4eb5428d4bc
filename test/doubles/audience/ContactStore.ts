import { Layer, Option } from "effect"
import type { Contact, UpdateContact } from "../../../services/domain/audience/Contact.ts"
import type { AppId, ContactId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { ContactKey } from "../../../services/ports/audience/ContactStore.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import type { Outage } from "../Outage.ts"
import { pageOf } from "../Outage.ts"

type Row = Contact & { readonly appId: AppId }

const change = (row: Row, { email, attributes, tags, locale, timezone }: UpdateContact): Row => ({
  ...row,
  email: email === undefined ? row.email : email,
  attributes: attributes ?? row.attributes,
  tags: tags ?? row.tags,
  locale: locale === undefined ? row.locale : locale,
  timezone: timezone === undefined ? row.timezone : timezone,
  updatedAt: Date.now()
})

/** Contacts in a list. */
export class ContactTable {
  rows: Array<Row> = []

  layer(outage: Outage): Layer.Layer<ContactStore> {
    const of = (appId: AppId) => this.rows.filter((row) => row.appId === appId)
    const isMeant = (row: Row, key: ContactKey) =>
      typeof key === "string" ? row.id === key : row.externalId === key.externalId
    const put = (appId: AppId, key: ContactKey, next: (row: Row) => Row) => {
      const at = this.rows.findIndex((row) => row.appId === appId && isMeant(row, key))
      if (at === -1) return Option.none()
      this.rows[at] = next(this.rows[at]!)
      return Option.some(this.rows[at]!)
    }
    return Layer.succeed(ContactStore, {
      upsert: (appId, contacts) =>
        outage.run("upsert", () =>
          contacts.map((contact) => {
            const old = of(appId).find(({ externalId }) => externalId === contact.external_id)
            const now = Date.now()
            const row: Row = old ?? {
              appId,
              id: uuidv7() as ContactId,
              externalId: contact.external_id,
              email: null,
              attributes: {},
              tags: [],
              locale: null,
              timezone: null,
              preferences: { push: true, email: true, inbox: true },
              createdAt: now,
              updatedAt: now
            }
            if (old === undefined) this.rows.push(row)
            put(appId, row.id, (row) => change(row, contact))
            return { id: row.id, created: old === undefined }
          })
        ),
      find: (appId, key) =>
        outage.run("find", () => Option.fromUndefinedOr(of(appId).find((row) => isMeant(row, key)))),
      list: (appId, { externalId, tag }, after, limit) =>
        outage.run("list", () =>
          pageOf(
            of(appId).filter(
              (row) =>
                (externalId === undefined || row.externalId === externalId) &&
                (tag === undefined || row.tags.includes(tag))
            ),
            after,
            limit
          )
        ),
      update: (appId, id, fields) => outage.run("update", () => put(appId, id, (row) => change(row, fields))),
      tag: (appId, externalIds, { add = [], remove = [] }) =>
        outage.run("tag", () =>
          of(appId)
            .filter(({ externalId }) => externalIds.includes(externalId))
            .map(({ externalId, id, tags }) => {
              const after = [...new Set([...tags, ...add])].filter((tag) => !remove.includes(tag))
              if (after.length <= 100) put(appId, id, (row) => ({ ...row, tags: after }))
              return { externalId, fits: after.length <= 100 }
            })
        ),
      prefer: (appId, id, preferences) =>
        outage.run("prefer", () =>
          put(appId, id, (row) => ({ ...row, preferences: { ...row.preferences, ...preferences } }))
        ),
      remove: (appId, id) =>
        outage.run("remove", () => {
          const isThere = of(appId).some((row) => isMeant(row, id))
          this.rows = this.rows.filter((row) => row.appId !== appId || !isMeant(row, id))
          return isThere
        })
    })
  }
}
