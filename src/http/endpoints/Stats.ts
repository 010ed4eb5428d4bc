import { Effect, Option, Schema } from "effect"
import { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import { now } from "../../../services/ports/Now.ts"
import type { DayStats } from "../../../services/domain/operations/Stats.ts"
import { NOTHING, sum } from "../../../services/domain/operations/Stats.ts"
import { isDay, isoTime } from "../../../services/domain/Time.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { StatsStore } from "../../../services/ports/operations/StatsStore.ts"
import { invalid, notFound } from "../pipeline/ApiError.ts"
import { route } from "../pipeline/Route.ts"

const DAY_MS = 86_400_000
const MOST_DAYS = 366
const DEFAULT_DAYS = 30

/** Nothing happened before; the calendar of the database has no year 0, in which an earlier month could begin. */
const FIRST_DAY = "1970-01-01"

const Day = Schema.String.check(
  Schema.makeFilter((text: string) => (isDay(text) && text >= FIRST_DAY) || "must be a day such as 2026-11-21")
)

const results = { sent: Schema.Int, failed: Schema.Int, skipped: Schema.Int, cancelled: Schema.Int }
const happenings = {
  ...results,
  delivered: Schema.Int,
  opened: Schema.Int,
  clicked: Schema.Int,
  machine_opened: Schema.Int,
  machine_clicked: Schema.Int
}

const GroupBy = Schema.Literals(["application", "day", "provider", "day_provider"])

const StatsView = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  group_by: GroupBy,
  total: Schema.Struct(happenings),
  data: Schema.Array(
    Schema.Struct({ day: Schema.optionalKey(Schema.String), provider: Schema.optionalKey(ProviderKind), ...happenings })
  ).annotate({ description: "In the order of days. Days and providers with nothing to count are left out." })
}).annotate({ identifier: "Stats" })

const AccountView = Schema.Struct({
  data: Schema.Array(Schema.Struct({ provider: ProviderKind, accepted: Schema.Int, pending: Schema.Int, ...results }))
}).annotate({ identifier: "NotificationStats" })

const dayOf = (at: number): string => isoTime(at).slice(0, 10)

const groupsOf = (rows: ReadonlyArray<DayStats>, by: typeof GroupBy.Type) => {
  const groups = new Map<string, Array<DayStats>>()
  for (const row of rows) {
    const key = { application: "", day: row.day, provider: row.provider, day_provider: `${row.day}/${row.provider}` }[
      by
    ]
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups.values()].map((group) => ({
    ...(by === "day" || by === "day_provider" ? { day: group[0]!.day } : undefined),
    ...(by === "provider" || by === "day_provider" ? { provider: group[0]!.provider } : undefined),
    ...sum(group)
  }))
}

const counted = { ...NOTHING, sent: 9_987, failed: 13, delivered: 9_200, opened: 2_100, clicked: 340 }

/** Stats: what happened, added up while it happens. */
export const statsRoutes = Effect.gen(function* () {
  const stats = yield* StatsStore
  const notifications = yield* NotificationStore

  return [
    route({
      method: "GET",
      path: "/api/v1/stats",
      access: "secret",
      tag: "Stats",
      summary: "Count what happened, by day and provider",
      description: `Days are those of UTC, on which something happened: a message was sent, a report came. \`from\` and \`to\` are included; the last ${DEFAULT_DAYS} days unless given, ${MOST_DAYS} at most. A recipient whose failed message is replayed counts once more. \`opened\` and \`clicked\` count machines as well, such as scanners of mail; \`machine_opened\` and \`machine_clicked\` are those that so far only machines did. Sums outlive the notifications.`,
      query: Schema.Struct({
        from: Schema.optionalKey(Day),
        to: Schema.optionalKey(Day),
        group_by: Schema.optionalKey(GroupBy.annotate({ description: "`day` unless given." }))
      }),
      success: {
        status: 200,
        description: "The sums.",
        schema: StatsView,
        example: {
          from: "2026-11-21",
          to: "2026-11-21",
          group_by: "day",
          total: counted,
          data: [{ day: "2026-11-21", ...counted }]
        }
      },
      errors: ["validation_error"],
      handler: Effect.fnUntraced(function* ({ caller, query }) {
        const to = query.to ?? dayOf(now())
        const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS)
        const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
        if (days < 1) return yield* Effect.fail(invalid([{ field: "from", message: "must not be after `to`" }]))
        if (days > MOST_DAYS) {
          return yield* Effect.fail(
            invalid([{ field: "from", message: `must be at most ${MOST_DAYS - 1} days before \`to\`` }])
          )
        }
        const by = query.group_by ?? "day"
        const rows = yield* stats.days(caller.appId, from, to)
        return { from, to, group_by: by, total: sum(rows), data: groupsOf(rows, by) }
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications/:id/stats",
      access: "secret",
      tag: "Stats",
      summary: "Read a notification's counts by provider",
      description:
        "Exact at every moment. What was delivered, opened and clicked is in the notification's own `counts`.",
      success: {
        status: 200,
        description: "A line for each provider with recipients.",
        schema: AccountView,
        example: {
          data: [{ provider: "apns", accepted: 100, pending: 0, sent: 99, failed: 1, skipped: 0, cancelled: 0 }]
        }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const id = params.id as NotificationId
        if (Option.isNone(yield* notifications.find(caller.appId, id))) {
          return yield* Effect.fail(notFound("notification"))
        }
        const rows = yield* stats.notification(caller.appId, id)
        return {
          data: rows.map(({ cancelled, failed, pending, provider, sent, skipped }) => ({
            provider,
            accepted: pending + sent + failed + skipped + cancelled,
            pending,
            sent,
            failed,
            skipped,
            cancelled
          }))
        }
      })
    })
  ]
})
