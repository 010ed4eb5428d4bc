import type { CancelReason, ExecutionStatus, HistoryEntry } from "./Execution.ts"
import type { Facts, MessageState } from "./Conditions.ts"
import type { Fetched } from "./Fetched.ts"
import type { ExecutionId, NotificationId } from "../Ids.ts"
import type { SegmentFilter } from "../audience/Segment.ts"
import type { Place } from "./Program.ts"
import type { DigestStep, FetchStep, SendStep, ThrottleStep, UpdateContactStep, WaitForStep } from "./Steps.ts"

/** A run on its way, as it is kept between two moves. */
export interface Run {
  readonly id: ExecutionId
  readonly userId: string
  /** Index in the program: of the step that is next, or that it waits in. */
  readonly position: number
  /** Whether the step was begun already. */
  readonly isBegun: boolean
  /** Until when the step lasts (epoch ms), of one that was begun; of a FETCH, its turn at the server. */
  readonly deadline: number | null
  /** Tries of the FETCH that it is at. */
  readonly tries: number
  readonly data: Readonly<Record<string, unknown>>
  readonly steps: Readonly<Record<string, unknown>>
  /** The notifications of its SEND steps, by their keys. */
  readonly sends: Readonly<Record<string, NotificationId>>
  readonly enteredAt: number
}

/** What a run asks, and what it is told. */
export type Question =
  /** What became of the messages of these SEND steps. → `ReadonlyMap<key, ReadonlySet<MessageState>>` */
  | { readonly _tag: "Messages"; readonly keys: ReadonlyArray<string> }
  /** Whether the message of a SEND step has ended, and how. → `null` or the states */
  | { readonly _tag: "Outcome"; readonly key: string }
  /** Joins the open digest of person and key, or opens one until `closesAt`. → `Joined` */
  | { readonly _tag: "Join"; readonly step: DigestStep; readonly by: string; readonly closesAt: number }
  /** Closes the digest that the run has opened, if it is due. → `Collected` */
  | { readonly _tag: "Collect"; readonly step: DigestStep; readonly by: string }
  /** Takes one of the passes of person and key. → whether there was one */
  | { readonly _tag: "Pass"; readonly step: ThrottleStep; readonly by: string }
  /** Changes the contact, unless it would have more then than a contact may. → null, or what would be too much */
  | { readonly _tag: "Change"; readonly step: UpdateContactStep }
  /** The first event of the person that fits, after `since` (ISO 8601). → `Heard`, or null */
  | { readonly _tag: "Event"; readonly step: WaitForStep; readonly value: unknown; readonly since: string }

export type Joined = { readonly opener: ExecutionId | null; readonly closesAt: number }
export interface Heard {
  readonly data: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly at: string
}
export type Collected =
  { readonly closesAt: number } | { readonly count: number; readonly items: ReadonlyArray<unknown> }

export type Answer =
  | ReadonlyMap<string, ReadonlySet<MessageState>>
  | ReadonlySet<MessageState>
  | Joined
  | Collected
  | Heard
  | boolean
  | string
  | null

/** A message that a run sends. */
export interface Sending {
  readonly place: Place
  readonly step: SendStep
}

/** Where a run has come to. */
export interface Settled {
  readonly status: ExecutionStatus
  readonly position: number
  readonly isBegun: boolean
  readonly deadline: number | null
  readonly tries: number
  /** Epoch milliseconds: when it goes on by itself; null at its end. */
  readonly dueAt: number | null
  /** What makes it go on before that: an event of its person, or the end of one of its messages. */
  readonly wakes: { readonly event: string } | { readonly send: string } | null
  /** It is at this FETCH, and goes on with what comes of it. */
  readonly fetch: FetchStep | null
  readonly steps: Readonly<Record<string, unknown>>
  /** The person, as the run has changed them. */
  readonly person: Facts
  readonly sendings: ReadonlyArray<Sending>
  readonly history: ReadonlyArray<HistoryEntry>
  /** Of one that was filtered or failed: at which step. */
  readonly endedAt: number | null
  readonly error: string | null
  readonly reason: CancelReason | null
}

/** The run's person, who changes with UPDATE_CONTACT. */
export interface Circumstances {
  readonly person: Facts
  readonly defaultTimezone: string
  /** Epoch milliseconds. */
  readonly now: number
  /** Of a run that began because the person came into a segment: its conditions; null, where it is gone. */
  readonly segment?: SegmentFilter | null
  /** Of a FETCH that was carried out. */
  readonly fetched?: Fetched
  /** Whether those who move together have taken long enough: the run stays where it is, and is due. Left out: never. */
  readonly isOver?: () => boolean
}
