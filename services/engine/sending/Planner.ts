import { Context, Effect, Layer, Option } from "effect"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import type { JobPriority } from "../../domain/operations/Job.ts"
import { AudienceStore } from "../../ports/audience/AudienceStore.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import type { ClaimedPlan } from "../../ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { Tracing } from "../../ports/operations/Tracing.ts"
import { laneId } from "./Lane.ts"
import { batchesOf, reachedBy, waysOf } from "./Reach.ts"
import { byLocalTime, ttlOf } from "./Timing.ts"

/** Pages read at once for a local time: divided by due time, they make batches that are not too small. */
const LOCAL_PAGES = 4

/**
 * Pages grow to so many times their size as an audience shows to be large: each twice the one before. The first batches go
 * out as early as ever, and then there are enough of them for each node to have several at once.
 */
const GROWN = 4

/** Plans under way at once in a process, for each priority. */
const PLACES = 4
/** Pages after which a plan gives its place back when others wait. */
const TURN = 2

/** The places of one priority. */
interface Places {
  free: number
  /** Whether plans may wait that found no place free: until a look finds none. */
  hasMore: boolean
  /** How often a plan found no place free. */
  refused: number
  /** The application whose plan got a place last. */
  served: AppId | null
}

/** What a turn of a plan has come to. */
type Tally = Record<"pages" | "batches" | "recipients", number> & { isTurnOver: boolean }

type Divide = ReturnType<typeof byLocalTime>

/**
 * Turns the description of an audience into batches, page by page: memory stays flat at any size. Each page's batches
 * are committed together with the cursor behind them, so a crash resumes there and every recipient is in one batch.
 *
 * Applications take turns. As long as a place is free, a plan is claimed by its id. One that comes when all are taken is
 * not kept here: the database knows it, and who ends a turn takes the plan of the next application from there.
 */
export class Planner extends Context.Service<
  Planner,
  {
    /**
     * Plans a notification, unless another has its plan, and whatever else found no place free meanwhile. Returns at
     * once when all places of the priority are taken: who has them comes to it in its application's turn.
     */
    readonly plan: (id: NotificationId, priority: JobPriority) => Effect.Effect<void, StoreError>
    /** From now on, plans give their places back after the page that they are at, and none is taken by turns. */
    readonly stop: Effect.Effect<void>
  }
>()("heliograph/engine/Planner") {
  static readonly layer = Layer.effect(
    Planner,
    Effect.suspend(() => make)
  )
}

/** A process' plans. */
interface Planning {
  readonly notifications: NotificationStore["Service"]
  readonly audiences: AudienceStore["Service"]
  readonly queue: JobQueue["Service"]
  readonly settings: EngineSettings["Service"]
  readonly tracing: Tracing
  readonly places: Readonly<Record<JobPriority, Places>>
  isStopping: boolean
}

const make = Effect.gen(function* () {
  const newPlaces = (): Places => ({ free: PLACES, hasMore: false, refused: 0, served: null })
  const planning: Planning = {
    notifications: yield* NotificationStore,
    audiences: yield* AudienceStore,
    queue: yield* JobQueue,
    settings: yield* EngineSettings,
    tracing: yield* Tracing,
    places: { high: newPlaces(), bulk: newPlaces() },
    isStopping: false
  }
  return Planner.of({
    plan: (id, priority) => plan(planning, id, priority),
    stop: Effect.sync(() => {
      planning.isStopping = true
    })
  })
})

const plan = (planning: Planning, id: NotificationId, priority: JobPriority) =>
  Effect.suspend(() => {
    const places = planning.places[priority]
    if (places.free === 0) {
      places.hasMore = true
      places.refused++
      return Effect.void
    }
    places.free--
    return Effect.ensuring(
      takeTurns(planning, id, priority, places),
      Effect.sync(() => places.free++)
    )
  })

/** Has a place, and gives it to one plan after the other as long as any may wait. */
const takeTurns = Effect.fnUntraced(function* (
  planning: Planning,
  id: NotificationId,
  priority: JobPriority,
  places: Places
) {
  const { notifications, queue, settings } = planning
  const publish = (rest: NotificationId) => Effect.ignore(queue.publish([{ type: "PlanV1", id: rest, priority }]))
  let claimed = yield* notifications.claimPlan(id, settings.leaseMs)
  while (true) {
    let rest: NotificationId | null = null
    if (Option.isSome(claimed)) {
      places.served = claimed.value.notification.appId
      if (yield* takeTurn(planning, claimed.value, places)) rest = claimed.value.notification.id
    }
    if (planning.isStopping || !places.hasMore) {
      if (rest !== null) yield* publish(rest)
      return
    }
    const { refused } = places
    claimed = yield* notifications.claimNextPlan(priority, places.served, settings.leaseMs)
    const isGoingOn = Option.isSome(claimed) && claimed.value.notification.id === rest
    // Somewhere else a place may be free.
    if (rest !== null && !isGoingOn) yield* publish(rest)
    if (Option.isNone(claimed) && places.refused === refused) places.hasMore = false
  }
})

/** Plans as long as the turn lasts. True when there is more of the plan, which is given back. */
const takeTurn = Effect.fnUntraced(function* (planning: Planning, claimed: ClaimedPlan, places: Places) {
  const { notifications, settings, tracing } = planning
  const { appId, createdAt, id, request, updatedAt } = claimed.notification
  const divide =
    request.local_time === undefined ? null : byLocalTime(request, updatedAt ?? createdAt, settings.defaultTimezone)
  const tally: Tally = { pages: 0, batches: 0, recipients: 0, isTurnOver: false }
  const pages = Effect.gen(function* () {
    let cursor = claimed.cursor
    do {
      cursor = yield* planPage(planning, claimed, divide, cursor, tally, places)
    } while (cursor !== null)
  })
  const attributes = { app_id: appId, notification_id: id }
  yield* tracing.span(claimed.trace, "notification.plan", "consumer", attributes, (span) =>
    Effect.ensuring(
      pages,
      Effect.sync(() => span?.note({ pages: tally.pages, batches: tally.batches, recipients: tally.recipients }))
    )
  )
  // An audience of nobody, or one whose batches were faster than the plan, is complete here.
  if (!tally.isTurnOver) yield* notifications.completeIfDone(id)
  return tally.isTurnOver
})

/** Plans one page. Null when there is no more to do here: the plan is done or given back, or its lease was lost. */
const planPage = Effect.fnUntraced(function* (
  planning: Planning,
  plan: ClaimedPlan,
  divide: Divide | null,
  cursor: string | null,
  tally: Tally,
  places: Places
) {
  const { audiences, notifications, queue, settings } = planning
  const { id, appId, request } = plan.notification
  // While others wait, turns are short.
  const pages = divide !== null ? LOCAL_PAGES : places.hasMore ? 1 : Math.min(GROWN, 2 ** tally.pages)
  const limit = settings.planPage * pages
  const page = yield* audiences.page(appId, request.to, waysOf(request), cursor, limit, id)
  const batches =
    divide === null
      ? batchesOf(page.recipients, settings.batchSize, reachedBy(request))
      : localBatches(planning, plan, divide(page.recipients, yield* audiences.zones(appId, page.recipients)))
  const isTurnOver = page.next !== null && (planning.isStopping || (places.hasMore && tally.pages + 1 >= TURN))
  const isSaved = yield* notifications.savePlan({
    id,
    fence: plan.fence,
    batches,
    cursor: page.next,
    done: page.next === null,
    leaseMs: isTurnOver ? null : settings.leaseMs
  })
  if (!isSaved) return null
  tally.pages++
  tally.batches += batches.length
  for (const { recipients } of batches) tally.recipients += recipients.length
  // One job for each batch: jobs are spread over the nodes, and each wakes the lane of the node that it reaches.
  const priority = request.priority ?? "bulk"
  const jobs = batches.map(({ provider }) => ({
    type: "SendV1" as const,
    id: laneId({ appId, provider, priority }),
    priority
  }))
  yield* queue.publish(jobs).pipe(Effect.ignore)
  tally.isTurnOver = isTurnOver
  return isTurnOver ? null : page.next
})

const localBatches = ({ settings }: Planning, { notification, sendAt }: ClaimedPlan, divided: ReturnType<Divide>) => {
  const { request } = notification
  const reaches = reachedBy(request)
  return divided.flatMap(({ dueAt, recipients }) =>
    batchesOf(recipients, settings.batchSize, reaches).map((batch) => ({
      ...batch,
      dueAt,
      // Whose time went by during a pause, has the time to live from its end on.
      expiresAt: Math.max(dueAt, sendAt ?? dueAt) + ttlOf(request, settings)
    }))
  )
}
