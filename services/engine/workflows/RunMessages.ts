import { uuidv7 } from "../../ports/NewId.ts"
import type { NotificationId, WorkflowVersionId } from "../../domain/Ids.ts"
import type { KeptRequest } from "../../domain/sending/Notification.ts"
import type { SendStep } from "../../domain/workflows/Steps.ts"
import type { Settled } from "../../domain/workflows/Run.ts"
import type { EngineSettings } from "../../ports/EngineSettings.ts"
import type { OpenRun, WorkflowMessage } from "../../ports/workflows/ExecutionStore.ts"
import { ttlOf } from "../sending/Timing.ts"
import type { Prepared } from "./Programs.ts"

/** People whom one notification of runs with data of their own has, and of those that say the same to all. */
const OWN = 500
const SHARED = 5000

interface Sender {
  readonly run: OpenRun
  readonly step: SendStep
  readonly version: Prepared
  /** What its template may ask of the run, as JSON. */
  readonly own: string
}

/**
 * The notifications of runs that have come to SEND steps: those of one step go together, each with what is its own, so
 * that ten thousand runs are some batches and not ten thousand mailings.
 */
export const messagesOf = (
  runs: ReadonlyArray<OpenRun>,
  settled: ReadonlyMap<OpenRun, Settled>,
  versions: ReadonlyMap<WorkflowVersionId, Prepared | null>,
  settings: EngineSettings["Service"]
) => {
  const steps = new Map<SendStep, Array<Sender>>()
  for (const run of runs) {
    const { sendings, steps: brought } = settled.get(run)!
    for (const { step } of sendings) {
      const version = versions.get(run.versionId)!
      const own = version!.templates[step.key]!.asksRun ? JSON.stringify({ data: run.data, steps: brought }) : "{}"
      const sender: Sender = { run, step, version: version!, own }
      const senders = steps.get(step)
      if (senders === undefined) steps.set(step, [sender])
      else senders.push(sender)
    }
  }
  const messages: Array<WorkflowMessage> = []
  const sends = new Map<OpenRun, Record<string, NotificationId>>()
  for (const [step, senders] of steps) {
    for (const group of groupsOf(senders)) {
      const id = uuidv7() as NotificationId
      for (const { run } of group) {
        const known = sends.get(run)
        if (known === undefined) sends.set(run, { [step.key]: id })
        else known[step.key] = id
      }
      messages.push(messageOf(id, step, group, settings))
    }
  }
  return { messages, sends }
}

/** Nobody stands twice in a group: a person with two runs gets two messages. */
const groupsOf = (senders: ReadonlyArray<Sender>): ReadonlyArray<ReadonlyArray<Sender>> => {
  const isShared = senders.every(({ own }) => own === senders[0]!.own)
  const most = isShared ? SHARED : OWN
  const groups: Array<Array<Sender>> = []
  const times = new Map<string, number>()
  const open: Array<Array<Sender>> = []
  for (const sender of senders) {
    const turn = times.get(sender.run.userId) ?? 0
    times.set(sender.run.userId, turn + 1)
    let group = open[turn]
    if (group === undefined || group.length === most) groups.push((group = open[turn] = []))
    group.push(sender)
  }
  return groups
}

const messageOf = (
  id: NotificationId,
  step: SendStep,
  group: ReadonlyArray<Sender>,
  settings: EngineSettings["Service"]
): WorkflowMessage => {
  const [first] = group
  const { run, version } = first!
  const template = version.templates[step.key]!
  const { channels, collapse_key, overrides, priority, template_id, track, ttl, variables = {} } = step
  const isShared = group.every(({ own }) => own === first!.own)
  const request: KeptRequest = {
    to: { user_ids: group.map(({ run: { userId } }) => userId) },
    ...(channels === undefined ? {} : { channels }),
    ...(template_id === undefined ? {} : { template_id }),
    variables: isShared ? { ...variables, ...(JSON.parse(first!.own) as object) } : variables,
    ...(isShared
      ? {}
      : { own: Object.fromEntries(group.map(({ own, run: { userId } }) => [userId, JSON.parse(own)])) }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(priority === undefined ? {} : { priority }),
    ...(collapse_key === undefined ? {} : { collapse_key }),
    ...(overrides === undefined ? {} : { overrides }),
    ...(track === undefined ? {} : { track }),
    template: { version: template.version, parts: template.parts },
    workflow: { id: version.workflowId, step: step.key }
  }
  return {
    id,
    appId: run.appId,
    request,
    priority: priority ?? "bulk",
    ttlMs: ttlOf(request, settings),
    // Those of several triggers have one message, which can follow from one of them.
    trace: group.find(({ run: { trace } }) => trace !== null)?.run.trace ?? null,
    template: template.version
  }
}
