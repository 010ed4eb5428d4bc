import { Effect, Option, Result, Schema } from "effect"
import { now } from "../../ports/Now.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { ContactStore } from "../../ports/audience/ContactStore.ts"
import { SegmentStore } from "../../ports/audience/SegmentStore.ts"
import { ExecutionStore } from "../../ports/workflows/ExecutionStore.ts"
import { WorkflowStore } from "../../ports/workflows/WorkflowStore.ts"
import type { AppId, ExecutionId, NotificationId, WorkflowId } from "../../domain/Ids.ts"
import type { Contact } from "../../domain/audience/Contact.ts"
import { ownOf } from "../../domain/Json.ts"
import type { Content } from "../../domain/sending/Notification.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { Facts, MessageState } from "../../domain/workflows/Conditions.ts"
import { judge, needsOf } from "../../domain/workflows/Conditions.ts"
import type { ExecutionStatus, HistoryEntry } from "../../domain/workflows/Execution.ts"
import type { Fetched } from "../../domain/workflows/Fetched.ts"
import type { Answer, Question, Run, Settled } from "../../domain/workflows/Run.ts"
import { changed, tooMuchOf } from "../../domain/workflows/ContactChange.ts"
import { fetchedOf } from "../../domain/workflows/Fetched.ts"
import { move } from "../../domain/workflows/Interpreter.ts"
import type { Fault, Program } from "../../domain/workflows/Program.ts"
import { programOf } from "../../domain/workflows/Program.ts"
import type { SendStep } from "../../domain/workflows/Steps.ts"
import type { RehearseWorkflow } from "../../domain/workflows/Workflow.ts"
import { Templates } from "../messages/Templates.ts"
import type { Prepared } from "./Programs.ts"

/** Whose way through the workflow was to be tried is not there. */
export class NoSuchContact extends Schema.TaggedError<NoSuchContact>()("NoSuchContact", {}) {}

/** What is made up is of steps that are not there, or are of another type. */
export class RehearsalInvalid extends Schema.TaggedError<RehearsalInvalid>()("RehearsalInvalid", {
  faults: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
}) {}

/** The steps of which a dry run is told what becomes of them, by the field that tells it. */
const TOLD = { outcomes: "SEND", events: "WAIT_FOR", answers: "FETCH" } as const

const faultsOf = ({ places }: Program, request: RehearseWorkflow): ReadonlyArray<Fault> => {
  const types = new Map(places.map(({ step: { key, type } }) => [key, type]))
  return Object.entries(TOLD).flatMap(([field, type]) =>
    Object.keys(request[field as keyof typeof TOLD] ?? {}).flatMap((key) =>
      types.get(key) === type ? [] : [{ field: `${field}.${key}`, message: `is no ${type} step of the workflow` }]
    )
  )
}

/** Moves of one dry run, at most: each step waits a few times at most. */
const MOVES = 1000

/** What a SEND step would say. */
export interface TriedMessage {
  readonly key: string
  readonly content: Content | null
  /** Why it cannot be filled. */
  readonly problem: string | null
}

export interface DryRun {
  readonly status: ExecutionStatus
  readonly error: string | null
  readonly history: ReadonlyArray<HistoryEntry>
  readonly messages: ReadonlyArray<TriedMessage>
}

const personOf = ({
  attributes,
  locale,
  tags,
  timezone
}: Pick<Contact, "attributes" | "locale" | "tags" | "timezone">): Facts => ({
  tags,
  attributes,
  locale,
  timezone,
  platforms: [],
  seenAt: null,
  engagedAt: {}
})

/** Goes through a workflow with a person, real or made up, and sends nothing: what waits, waits no time. */
export const makeDryRun = Effect.gen(function* () {
  const store = yield* WorkflowStore
  const contacts = yield* ContactStore
  const executions = yield* ExecutionStore
  const segments = yield* SegmentStore
  const templates = yield* Templates
  const { defaultTimezone } = yield* EngineSettings

  const messageOf = Effect.fnUntraced(function* (
    version: Prepared,
    step: SendStep,
    run: Run,
    steps: Run["steps"],
    person: Facts
  ) {
    const template = ownOf(version.templates, step.key)
    const compiled = template === undefined ? Option.none() : yield* templates.version(version.appId, template.version)
    if (Option.isNone(compiled)) return { key: step.key, content: null, problem: "its template cannot be read" }
    const { attributes, locale, tags, timezone } = person
    const contact = {
      external_id: run.userId,
      attributes,
      tags,
      ...(locale === null ? {} : { locale }),
      ...(timezone === null ? {} : { timezone })
    }
    const own = { data: run.data, steps, contact, device: {} }
    const [filled] = yield* compiled.value.sample(step.variables ?? {}, [
      { language: compiled.value.languageOf(locale), own }
    ])
    return Result.isSuccess(filled!)
      ? { key: step.key, content: filled!.success, problem: null }
      : { key: step.key, content: null, problem: `${filled!.failure.field}: ${filled!.failure.message}` }
  })

  return Effect.fnUntraced(function* (appId: AppId, id: WorkflowId, request: RehearseWorkflow) {
    const found = yield* store.find(appId, id)
    if (Option.isNone(found)) return Option.none<DryRun>()
    const version = yield* store.version(found.value.versionId)
    if (Option.isNone(version)) return Option.none<DryRun>()
    const prepared: Prepared = { ...version.value, program: programOf(version.value.definition.steps) }
    const faults = faultsOf(prepared.program, request)
    if (faults.length > 0) return yield* new RehearsalInvalid({ faults })
    const known =
      request.user_id === undefined ? Option.none() : yield* contacts.find(appId, { externalId: request.user_id })
    if (request.user_id !== undefined && Option.isNone(known)) return yield* new NoSuchContact()
    const { attributes = {}, locale = null, tags = [], timezone = null } = request.contact ?? {}
    let person = Option.isSome(known) ? personOf(known.value) : personOf({ attributes, locale, tags, timezone })

    let at = now()
    const { trigger } = prepared.definition
    const entered = trigger.type === "segment_entered" ? yield* segments.find(appId, trigger.segment_id) : Option.none()
    let segment: SegmentFilter | undefined = Option.getOrUndefined(entered)?.filter
    const asked = [prepared.program.needs, ...(segment === undefined ? [] : [needsOf([segment])])]
    if (Option.isSome(known) && asked.some(({ devices, engagement }) => devices || engagement)) {
      const { id: contactId, externalId: userId } = known.value
      person = { ...person, ...(yield* executions.reachOf({ appId, contactId, userId })) }
    }
    // Whom the segment does not let in enters by a request: what they are does not end their run.
    const subject = { person, data: {}, messages: () => new Set<MessageState>(), now: at }
    if (segment !== undefined && !judge(segment, subject).fits) segment = undefined
    let run: Run = {
      id: uuidv7() as ExecutionId,
      userId: request.user_id ?? "somebody",
      position: 0,
      isBegun: false,
      deadline: null,
      tries: 0,
      data: request.data ?? {},
      steps: {},
      sends: {},
      enteredAt: at
    }
    const history: Array<HistoryEntry> = []
    const messages: Array<TriedMessage> = []
    const states = (key: string) => new Set<MessageState>(ownOf(request.outcomes ?? {}, key) ?? ["sent"])
    const answerTo = (question: Question): Answer => {
      switch (question._tag) {
        case "Messages":
          return new Map(question.keys.map((key) => [key, states(key)]))
        case "Outcome":
          return states(question.key)
        case "Join":
          return { opener: null, closesAt: question.closesAt }
        case "Collect":
          return { count: 1, items: [run.data] }
        case "Pass":
          return true
        case "Change":
          person = changed(person, question.step)
          return tooMuchOf(person, question.step)
        case "Event": {
          const data = ownOf(request.events ?? {}, question.step.key)
          return data === undefined ? null : { data, at: new Date(at).toISOString() }
        }
      }
    }
    const go = (fetched?: Fetched): Settled => {
      const moving = move(prepared.program, run, {
        person,
        defaultTimezone,
        now: at,
        ...(segment && { segment }),
        ...(fetched && { fetched })
      })
      let said = moving.next()
      while (said.done !== true) said = moving.next(answerTo(said.value))
      return said.value
    }
    let settled = go()
    for (let moves = 0; moves < MOVES; moves++) {
      history.push(...settled.history)
      const sends: Record<string, NotificationId> = { ...run.sends }
      for (const { step } of settled.sendings) {
        sends[step.key] = uuidv7() as NotificationId
        messages.push(yield* messageOf(prepared, step, run, settled.steps, person))
      }
      person = settled.person
      if (settled.dueAt === null) break
      const { deadline, isBegun, position, steps, tries } = settled
      run = { ...run, position, isBegun, deadline, tries, steps, sends }
      at = Math.max(at, settled.dueAt)
      const { body = null, status = 200 } =
        (settled.fetch === null ? undefined : ownOf(request.answers ?? {}, settled.fetch.key)) ?? {}
      settled = go(settled.fetch === null ? undefined : fetchedOf(status, body, null))
    }
    return Option.some<DryRun>({ status: settled.status, error: settled.error, history, messages })
  })
})
