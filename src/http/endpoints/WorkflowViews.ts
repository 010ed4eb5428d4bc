import { Schema } from "effect"
import { ExecutionId, WorkflowId } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { Steps } from "../../../services/domain/workflows/Steps.ts"
import { Reentry, Trigger, WorkflowStatus } from "../../../services/domain/workflows/Workflow.ts"
import type { PastVersion, WholeVersion, Workflow } from "../../../services/domain/workflows/Workflow.ts"
import type { Saved, Triggered } from "../../../services/engine/workflows/Workflows.ts"
import { Content } from "../../../services/domain/sending/Notification.ts"
import { ExecutionStatus } from "../../../services/domain/workflows/Execution.ts"
import { ActorView } from "./AuditLog.ts"
import { HistoryView } from "./Executions.ts"
import { ID, NOW } from "../docs/Examples.ts"

/* Workflows as the REST API shows them. */

const Warning = Schema.Struct({ field: Schema.String, message: Schema.String })

const fields = {
  id: WorkflowId,
  name: Schema.String,
  status: WorkflowStatus,
  version: Schema.Int.annotate({
    description: "Counts the changes, from 1. Runs stay on the version that they entered."
  }),
  trigger: Trigger,
  steps: Steps,
  reentry: Reentry,
  created_at: Schema.String,
  updated_at: Schema.String
}
export const WorkflowView = Schema.Struct(fields).annotate({ identifier: "Workflow" })
export const SavedView = Schema.Struct({
  ...fields,
  warnings: Schema.Array(Warning).annotate({
    description: "What its author may have overlooked, such as credentials that its messages need."
  })
}).annotate({ identifier: "SavedWorkflow" })

export const show = ({
  createdAt,
  definition,
  id,
  status,
  updatedAt,
  version
}: Workflow): typeof WorkflowView.Type => ({
  id,
  name: definition.name,
  status,
  version,
  trigger: definition.trigger,
  steps: definition.steps,
  reentry: definition.reentry,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt)
})
export const showSaved = ({ warnings, workflow }: Saved): typeof SavedView.Type => ({ ...show(workflow), warnings })

const versionFields = {
  id: Schema.String.annotate({ description: "Of the version." }),
  version: Schema.Int,
  created_at: Schema.String,
  actor: ActorView.annotate({ description: "Who made it." }),
  runs: Schema.Int.annotate({ description: "Of it, those under way." })
}
export const VersionView = Schema.Struct(versionFields).annotate({ identifier: "WorkflowVersionSummary" })
export const WholeVersionView = Schema.Struct({
  ...versionFields,
  trigger: Trigger,
  steps: Steps,
  reentry: Reentry
}).annotate({ identifier: "WorkflowVersion" })

export const showVersion = ({
  actor,
  actorEmail,
  createdAt,
  id,
  runs,
  version
}: PastVersion): typeof VersionView.Type => ({
  id,
  version,
  created_at: isoTime(createdAt),
  actor: { ...actor, email: actorEmail },
  runs
})
export const showWholeVersion = (one: WholeVersion): typeof WholeVersionView.Type => ({
  ...showVersion(one),
  trigger: one.definition.trigger,
  steps: one.definition.steps,
  reentry: one.definition.reentry
})

const StepView = Schema.Struct({
  step_order: Schema.Int,
  key: Schema.String,
  type: Schema.String,
  entered: Schema.Int,
  passed: Schema.Int,
  stopped: Schema.Int.annotate({ description: "Stopped by a FILTER or THROTTLE, or cancelled there." }),
  failed: Schema.Int,
  waiting: Schema.Int
}).annotate({ identifier: "WorkflowStepStatistics" })
export const StatisticsView = Schema.Struct({ version: Schema.Int, steps: Schema.Array(StepView) }).annotate({
  identifier: "WorkflowStatistics"
})

export const DryRunView = Schema.Struct({
  status: ExecutionStatus,
  error: Schema.NullOr(Schema.String),
  history: Schema.Array(HistoryView),
  messages: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      content: Schema.NullOr(Content),
      problem: Schema.NullOr(Schema.String).annotate({ description: "Why it cannot be filled." })
    })
  )
}).annotate({ identifier: "WorkflowDryRun" })

export const TriggeredView = Schema.Struct({
  executions: Schema.Int.annotate({
    description:
      "Runs that began. Of a described audience: contacts that are looked through now, of whom those enter whom it fits; 10,000 stands for that many or more."
  }),
  execution_id: Schema.NullOr(ExecutionId).annotate({ description: "The run's, when there is one." })
}).annotate({ identifier: "TriggeredWorkflow" })

export const showTriggered = ({ executionId, executions }: Triggered): typeof TriggeredView.Type => ({
  executions,
  execution_id: executionId
})

export const draft = {
  name: "Welcome",
  trigger: { type: "event", event: "signed_up" },
  steps: [
    { key: "hello", type: "SEND", channels: ["push"], content: { title: "Welcome, {{ data.name }}" } },
    { key: "later", type: "DELAY", seconds: 86_400 },
    {
      key: "quiet",
      type: "FILTER",
      conditions: { steps: [{ key: "hello", is: "opened", not: true }] }
    },
    {
      key: "again",
      type: "SEND",
      channels: ["email"],
      content: { subject: "Still there, {{ data.name }}?", html: "<p>Your first steps are waiting.</p>" }
    }
  ]
} as const
export const example = {
  id: ID,
  status: "draft",
  version: 1,
  ...draft,
  reentry: "always",
  created_at: NOW,
  updated_at: NOW
}

export const versionExample = {
  id: ID,
  version: 1,
  created_at: NOW,
  actor: { kind: "user", id: ID, email: "ada@example.com" },
  runs: 12
} as const
