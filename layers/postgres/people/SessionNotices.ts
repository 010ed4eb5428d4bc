import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { AccountId } from "../../../services/domain/Ids.ts"
import { SessionNotices } from "../../../services/ports/people/SessionNotices.ts"
import * as Notices from "../server/Notices.ts"

/** Triggers send them, with the change itself: migrations/0029_people.ts. */
export const layer: Layer.Layer<SessionNotices, never, PgClient.PgClient> = Layer.effect(
  SessionNotices,
  Effect.map(Notices.Notices, (notices) =>
    SessionNotices.of({
      listen: (hear) =>
        notices.listen("sessions", (text) => hear(text === null ? null : (text.split(",") as Array<AccountId>)))
    })
  )
).pipe(Layer.provide(Notices.layer))
