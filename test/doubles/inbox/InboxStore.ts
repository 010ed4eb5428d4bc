import { Effect, Layer, Option } from "effect"
import type { AppId, InboxMessageId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { InboxMessage } from "../../../services/domain/inbox/Inbox.ts"
import type { InboxNotice } from "../../../services/ports/inbox/InboxNotices.ts"
import { InboxNotices } from "../../../services/ports/inbox/InboxNotices.ts"
import { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import type { Outage } from "../Outage.ts"

interface Row extends InboxMessage {
  readonly appId: AppId
  readonly userId: string
}

/** Inbox messages in a list, oldest first. */
export class InboxTable {
  rows: Array<Row> = []
  /** The node stops: live readers are sent away. */
  isStopping = false
  readonly listeners = new Set<(notice: InboxNotice | null) => void>()

  tell(appId: AppId, keys: ReadonlyArray<string>): void {
    for (const hear of this.listeners) hear({ appId, keys })
  }

  readonly notices = Layer.succeed(InboxNotices, {
    keyOf: (userId) => userId,
    listen: (hear) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            this.listeners.add(hear)
            hear(null)
          }),
          () => Effect.sync(() => this.listeners.delete(hear))
        )
      )
  })

  layer(outage: Outage): Layer.Layer<InboxStore> {
    const of = (appId: AppId, userId: string) => this.rows.filter((row) => row.appId === appId && row.userId === userId)
    const mark = (ids: ReadonlyArray<string>) => {
      const readAt = Date.now()
      this.rows = this.rows.map((row) => (ids.includes(row.id) && row.readAt === null ? { ...row, readAt } : row))
    }
    return Layer.succeed(InboxStore, {
      post: (appId, { user_ids, title, body, url, data }) =>
        outage.run("post", () => {
          const users = [...new Set(user_ids)]
          for (const userId of users) {
            this.rows.push({
              appId,
              userId,
              id: uuidv7() as InboxMessageId,
              title: title ?? null,
              body: body ?? null,
              url: url ?? null,
              data: data ?? {},
              createdAt: Date.now(),
              readAt: null
            })
          }
          this.tell(appId, users)
          return users.length
        }),
      list: (appId, userId, before, limit) =>
        outage.run("list", () => {
          const newest = of(appId, userId).toSorted((a, b) => (a.id < b.id ? 1 : -1))
          const rest = before === null ? newest : newest.filter(({ id }) => id < before)
          const items = rest.slice(0, limit)
          return { items, next: rest.length > limit ? items[limit - 1]!.id : null }
        }),
      unread: (appId, userId) =>
        outage.run("unread", () => of(appId, userId).filter(({ readAt }) => readAt === null).length),
      read: (appId, userId, id) =>
        outage.run("read", () => {
          if (of(appId, userId).some((row) => row.id === id)) mark([id])
          this.tell(appId, [userId])
          return Option.fromUndefinedOr(of(appId, userId).find((row) => row.id === id))
        }),
      since: ({ after, appId, userId }) =>
        outage.run("since", () => {
          const mine = of(appId, userId)
          const seen = after === null ? this.rows.length : Number(after)
          return {
            position: String(this.rows.length),
            unread: mine.filter(({ readAt }) => readAt === null).length,
            messages: this.rows.slice(seen).filter((row) => mine.includes(row)),
            isCut: !(seen <= this.rows.length)
          }
        }),
      readAll: (appId, userId) =>
        outage.run("readAll", () => {
          const unread = of(appId, userId).filter(({ readAt }) => readAt === null)
          mark(unread.map(({ id }) => id))
          this.tell(appId, [userId])
          return unread.length
        })
    })
  }
}
