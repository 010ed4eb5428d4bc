import { Cause, Effect, Exit } from "effect"
import type { Scope } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { makeForks } from "../../../services/ports/operations/Forks.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { LockWait } from "./PooledClient.ts"
import { sqlStateOf } from "./storeError.ts"

/*
 * Makes one statement of many calls. A statement and its commit cost the database the same for one row as for twenty,
 * so calls that come while one is under way gather, and the next statement takes them all: the busier it is, the
 * cheaper a call. When nothing is under way a call goes at once, unless calls are told to linger for company. A second
 * statement runs beside the first when a full one waits, when enough wait and the process has nothing else to do, or when
 * somebody has waited for long.
 *
 * A call is answered after the commit of the statement that it travelled with. One that the database refuses must not
 * take its fellows down: the refused statement wrote nothing, so it is repeated in halves until the refusal stands
 * alone, and then once more or twice where it was about the moment. Nor may one that waits for a lock keep the others:
 * where calls have owners, a statement waits for a moment only, and is repeated owner by owner. Whoever is held up then waits
 * aside, with what else its owner asks for, until that goes smoothly again. What says nothing about any one call (no
 * connection, no answer in time) is the answer to all of them, as it would have been one by one; a statement whose outcome
 * is unknown is never repeated.
 */

/**
 * Of what a statement says, or of the moment at which it came: it met others in a ring, or waited for a lock of theirs for
 * longer than it may.
 */
export type Refusal = "content" | "moment" | "held"

export interface CoalesceOptions<Item, A, E> {
  /** One statement for all; answers in the order of the items. */
  readonly run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<A>, E>
  /** Rows that the item brings to a statement. */
  readonly weight: (item: Item) => number
  /** What the database's refusal of a statement, which wrote nothing, is about; null: it may have been carried out. */
  readonly refusalOf: (error: E) => Refusal | null
  /** Whose locks the item may have to wait for. None: it waits for nobody's, as what only reads, or is the engine's own. */
  readonly ownerOf?: (item: Item) => string
  /** Rows in one statement, at most (an item heavier than this travels alone). */
  readonly rows: number
  /** Statements under way at once, at most. */
  readonly atOnce: number
  /**
   * How long a call waits for company (ms), unless enough come before, or one that is urgent, or it comes while others wait
   * who have waited so long. 0, or none: it does not.
   */
  readonly lingerMs?: number
  /** Does not wait for company, and nobody waits for more who was there before. */
  readonly isUrgent?: (item: Item) => boolean
  /** Gets the answer of a call whose caller has left since its statement began, or while it waited for company alone. */
  readonly unheard?: (item: Item, answer: A) => void
}

/**
 * Classes of SQLSTATE by which PostgreSQL refuses what a statement says, and rolls it back: data, constraints, limits.
 */
const REFUSED = /^(21|22|23|40|42|54)/

/** Why PostgreSQL itself refused a statement, if it did. */
export const refusalBySql = (error: StoreError): Refusal | null => {
  if (!isSqlError(error.cause)) return null
  const { reason } = error.cause
  switch (reason._tag) {
    case "UniqueViolation":
    case "ConstraintError":
    case "SqlSyntaxError":
      return "content"
    case "DeadlockError":
    case "SerializationError":
      return "moment"
    case "LockTimeoutError":
      return "held"
    default:
      return REFUSED.test(sqlStateOf(error.cause)) ? "content" : null
  }
}

/** How often a statement of one call is begun, at most, that came at a bad moment. */
const MOST_TRIES = 3

/** Rows that are worth a statement beside another one, if there is nothing else to do, and that wait for no more company. */
const ENOUGH = 16

/**
 * A call that has waited so long behind statements under way gets another one beside them: one of them may hang on a
 * lock.
 */
const MOST_WAIT_MS = 10

/** Statements of an owner who was held up go aside until none has been for so long. */
const ASIDE_MS = 5000
/** The calls of a store's operation, made to travel together until the scope closes. */
export const coalesce = <Item, A, E>({
  run,
  weight,
  refusalOf,
  ownerOf,
  rows,
  atOnce,
  lingerMs = 0,
  isUrgent = () => false,
  unheard
}: CoalesceOptions<Item, A, E>): Effect.Effect<(item: Item) => Effect.Effect<A, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    interface Waiting {
      readonly item: Item
      readonly resume: (answer: Exit.Exit<A, E>) => void
      hasLeft: boolean
      /** Of one that waits for a lock by itself: ends its statement. */
      giveUp?: () => void
    }
    /**
     * Of an owner who was held up: one statement after the other, which still waits for a moment only. The calls that are held
     * up when they are alone wait beside them, each by itself.
     */
    interface Lane {
      readonly owner: string
      waiting: Array<Waiting>
      /** More than one of a refused statement's halves. */
      statements: number
      /** Calls that wait for locks, each by itself. */
      held: number
      /** Of `performance.now()`. */
      until: number
    }
    const lanes = new Map<string, Lane>()
    const fork = yield* makeForks
    /** Under way. */
    let statements = 0
    let waiting: Array<Waiting> = []
    /** Rows of those who wait. */
    let waitingRows = 0
    let isLate = false
    let overdue: NodeJS.Timeout | undefined
    let soon: NodeJS.Immediate | undefined
    /** Runs from when the first of those who wait came. */
    let lingering: NodeJS.Timeout | undefined

    /** How many of the first go into one statement, and their rows. */
    const fitting = (calls: ReadonlyArray<Waiting>): { readonly count: number; readonly sum: number } => {
      let count = 1
      let sum = weight(calls[0]!.item)
      for (; count < calls.length; count++) {
        const more = weight(calls[count]!.item)
        if (sum + more > rows) break
        sum += more
      }
      return { count, sum }
    }

    const take = (): ReadonlyArray<Waiting> => {
      const { count, sum } = fitting(waiting)
      const taken = waiting.slice(0, count)
      waiting = waiting.slice(count)
      waitingRows = waiting.length === 0 ? 0 : waitingRows - sum
      stopLingering()
      return taken
    }

    const stopLingering = (): void => {
      clearTimeout(lingering)
      lingering = undefined
    }

    const linger = (): void => {
      lingering ??= setTimeout(() => {
        lingering = undefined
        pump()
      }, lingerMs)
    }

    /** `tries`: how often these calls were begun as a statement of their own before. `waits`: for locks, as long as it takes. */
    const start = (calls: ReadonlyArray<Waiting>, tries = 0, lane: Lane | null = null, waits = false): void => {
      if (lane === null) statements++
      else if (waits) lane.held++
      else lane.statements++
      const work = run(calls.map(({ item }) => item))
      const whole = ownerOf === undefined ? work : Effect.provideService(work, LockWait, waits ? "expected" : "never")
      const fiber = fork(whole)
      // What somebody hears of when its caller has left is carried out.
      if (waits && unheard === undefined) for (const call of calls) call.giveUp = () => fiber.interruptUnsafe()
      fiber.addObserver((exit) => {
        if (lane === null) statements--
        else if (waits) {
          lane.held--
          lane.until = performance.now() + ASIDE_MS
        } else lane.statements--
        if (Exit.isFailure(exit)) fail(calls, exit.cause, tries + 1, lane, waits)
        // The database gets its next work before these are answered.
        if (lane === null) pump()
        else pumpLane(lane)
        if (Exit.isSuccess(exit)) {
          for (let i = 0; i < calls.length; i++) {
            const { hasLeft, item, resume } = calls[i]!
            const answer = exit.value[i]!
            if (!hasLeft) resume(Exit.succeed(answer))
            // In a fiber of its own: what breaks there keeps nobody else's answer back.
            else if (unheard !== undefined) fork(Effect.sync(() => unheard(item, answer)))
          }
        }
      })
    }

    const fail = (
      calls: ReadonlyArray<Waiting>,
      cause: Cause.Cause<E>,
      tries: number,
      lane: Lane | null,
      waits: boolean
    ): void => {
      const refusals = cause.reasons.map((reason) => (Cause.isFailReason(reason) ? refusalOf(reason.error) : null))
      if (refusals.includes("held")) {
        if (ownerOf !== undefined && !waits) return lane === null ? stepAside(calls, ownerOf) : waitAlone(calls, lane)
      } else if (
        calls.length > 1 &&
        (refusals.some((refusal) => refusal !== null) || cause.reasons.some(Cause.isDieReason))
      ) {
        // A defect is one call's as well: a value that cannot even be written into a statement.
        const half = calls.length >> 1
        start(calls.slice(0, half), 0, lane, waits)
        start(calls.slice(half), 0, lane, waits)
        return
      } else if (tries < MOST_TRIES && refusals.includes("moment")) {
        return start(calls, tries, lane, waits)
      }
      for (const { resume } of calls) resume(Exit.failCause(cause))
    }

    /** Of several owners one was held up, or more; which, shows when each is asked for alone. */
    const stepAside = (calls: ReadonlyArray<Waiting>, ownerOf: (item: Item) => string): void => {
      const byOwner = Map.groupBy(calls, ({ item }) => ownerOf(item))
      if (byOwner.size > 1) {
        for (const own of byOwner.values()) start(own)
        return
      }
      for (const [owner, own] of byOwner) {
        for (const other of lanes.values()) pumpLane(other)
        const lane = lanes.get(owner) ?? { owner, waiting: [], statements: 0, held: 0, until: 0 }
        lanes.set(owner, lane)
        waitAlone(own, lane)
      }
    }

    /** Of several calls of an owner one was held up, or more: the others need not wait for what it waits for. */
    const waitAlone = (calls: ReadonlyArray<Waiting>, lane: Lane): void => {
      lane.until = performance.now() + ASIDE_MS
      // Nothing of theirs is written.
      const here = calls.filter(({ hasLeft }) => !hasLeft)
      if (here.length > 1) {
        const half = here.length >> 1
        start(here.slice(0, half), 0, lane)
        start(here.slice(half), 0, lane)
      } else if (here.length === 1) start(here, 0, lane, true)
      pumpLane(lane)
    }

    const pumpLane = (lane: Lane): void => {
      if (lane.statements > 0) return
      // Nothing of theirs is written.
      lane.waiting = lane.waiting.filter(({ hasLeft }) => !hasLeft)
      if (lane.waiting.length > 0) start(lane.waiting.splice(0, fitting(lane.waiting).count), 0, lane)
      else if (lane.held === 0 && performance.now() >= lane.until) lanes.delete(lane.owner)
    }

    /** Where calls of the owner go who was held up a moment ago. */
    const laneOf = (item: Item): Lane | undefined => {
      if (lanes.size === 0 || ownerOf === undefined) return undefined
      const lane = lanes.get(ownerOf(item))
      if (lane !== undefined) pumpLane(lane)
      return lanes.get(ownerOf(item))
    }

    const isLingering = (): boolean => lingering !== undefined && waitingRows < ENOUGH
    const mayStart = (): boolean =>
      !isLingering() && (statements === 0 || (statements < atOnce && (isLate || waitingRows >= rows)))

    const pump = (): void => {
      while (waiting.length > 0 && mayStart()) start(take())
      if (waiting.length === 0 || isLate) {
        isLate = false
        clearTimeout(overdue)
        overdue = undefined
      }
      if (waiting.length > 0 && statements > 0 && statements < atOnce) {
        // All that had arrived has been read by then, the answer of the statement under way included.
        if (waitingRows >= ENOUGH) soon ??= setImmediate(startAnother)
        overdue ??= setTimeout(() => {
          overdue = undefined
          isLate = true
          pump()
        }, MOST_WAIT_MS)
      }
    }

    /** The process has nothing left to do but to wait for a statement that spends half of its time on its way. */
    const startAnother = (): void => {
      soon = undefined
      if (statements < atOnce && waitingRows >= ENOUGH) start(take())
      pump()
    }

    // Before the statements under way are interrupted.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        clearTimeout(overdue)
        clearImmediate(soon)
        stopLingering()
        const left = [waiting, ...[...lanes.values()].map((lane) => lane.waiting)].flat()
        waiting = []
        lanes.clear()
        for (const { resume } of left) resume(Exit.interrupt())
      })
    )

    return (item) =>
      Effect.callback<A, E>((resume) => {
        const call: Waiting = { item, resume, hasLeft: false }
        const leave = () => {
          call.hasLeft = true
          // Nobody waits for it any more, and others do for its place.
          call.giveUp?.()
        }
        const lane = laneOf(item)
        if (lane !== undefined) {
          lane.waiting.push(call)
          pumpLane(lane)
          return Effect.sync(leave)
        }
        if (isUrgent(item)) stopLingering()
        else if (lingerMs > 0 && waiting.length === 0) linger()
        waiting.push(call)
        waitingRows += weight(item)
        pump()
        // A caller that left before its statement began leaves nothing behind; afterwards it is carried out unheard. So it
        // is while it waits for company, which is not its wish: without that it would have begun by now, or nearly.
        return Effect.sync(() => {
          leave()
          if (isLingering()) return
          const at = waiting.indexOf(call)
          if (at === -1) return
          waiting.splice(at, 1)
          waitingRows -= weight(item)
        })
      })
  })
