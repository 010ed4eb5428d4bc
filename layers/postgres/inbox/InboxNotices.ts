import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import type { AppId } from "../../../services/domain/Ids.ts"
import { InboxNotices } from "../../../services/ports/inbox/InboxNotices.ts"
import * as Notices from "../server/Notices.ts"

const UUID = 36
const KEY = 8

/** As the database makes it: migrations/0028_schema/inbox.ts. */
export const keyOf = (userId: string): string => createHash("md5").update(userId).digest("hex").slice(0, KEY)

/** Tells that inboxes have changed in a way that writes no message. May be lost: nothing depends on it but promptness. */
export const notify = (sql: PgClient.PgClient, appId: string, userId: string) =>
  Effect.ignore(Notices.notify(sql, "inbox", appId + keyOf(userId)))

export const layer: Layer.Layer<InboxNotices, never, PgClient.PgClient> = Layer.effect(
  InboxNotices,
  Effect.map(Notices.Notices, (notices) =>
    InboxNotices.of({
      keyOf,
      listen: (hear) =>
        notices.listen("inbox", (text) => {
          if (text === null) return hear(null)
          const keys: Array<string> = []
          for (let at = UUID; at < text.length; at += KEY) keys.push(text.slice(at, at + KEY))
          hear({ appId: text.slice(0, UUID) as AppId, keys })
        })
    })
  )
).pipe(Layer.provide(Notices.layer))
