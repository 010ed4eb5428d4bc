import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue, Schedule } from "effect"
import { createHash } from "node:crypto"
import type { AppId } from "../../../services/domain/Ids.ts"
import { InboxNotices } from "../../../services/ports/inbox/InboxNotices.ts"

const CHANNEL = "heliograph_inbox"
const UUID = 36
const KEY = 8

/** As the database makes it: migrations/0028_schema/inbox.ts. */
export const keyOf = (userId: string): string => createHash("md5").update(userId).digest("hex").slice(0, KEY)

/** Tells that inboxes have changed in a way that writes no message. May be lost: nothing depends on it but promptness. */
export const notify = (sql: PgClient.PgClient, appId: string, userId: string) =>
  Effect.ignore(sql.notify(CHANNEL, appId + keyOf(userId)))

/** Over PostgreSQL's LISTEN, which needs a connection of its own: a pooler between them must not share it. */
export const layer: Layer.Layer<InboxNotices, never, PgClient.PgClient> = Layer.effect(
  InboxNotices,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return InboxNotices.of({
      keyOf,
      listen: (hear) =>
        Effect.scoped(
          Effect.gen(function* () {
            const notices = yield* sql.listen(CHANNEL)
            hear(null)
            while (true) {
              const { payload } = yield* Queue.take(notices)
              const keys: Array<string> = []
              for (let at = UUID; at < payload.length; at += KEY) keys.push(payload.slice(at, at + KEY))
              hear({ appId: payload.slice(0, UUID) as AppId, keys })
            }
          })
        ).pipe(
          Effect.tapError((error) =>
            Effect.logWarning("Changes of inboxes are not heard at the moment; trying again", error)
          ),
          Effect.retry(Schedule.spaced("1 second")),
          Effect.forkScoped,
          Effect.asVoid
        )
    })
  })
)
