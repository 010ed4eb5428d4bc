/**
 * What travels through the job queue: "look at this row now", never the work itself. A job's name carries its version,
 * so that nodes of two releases can share one queue.
 */
export type Job =
  /** Plan the audience of a notification into batches. */
  | { readonly type: "PlanV1"; readonly id: string; readonly priority: JobPriority }
  /** A lane has batches due: `id` is `<application>:<provider>`. */
  | { readonly type: "SendV1"; readonly id: string; readonly priority: JobPriority }
  /** A webhook has work due: `id` is the webhook's. */
  | { readonly type: "WebhookV1"; readonly id: string; readonly priority: JobPriority }
  /** Runs of workflows have something to do: `id` is the application's. */
  | { readonly type: "FlowV1"; readonly id: string; readonly priority: JobPriority }

export type JobType = Job["type"]

/** `high` jobs have queues of their own: a single transactional message never waits behind a mailing. */
export type JobPriority = "high" | "bulk"

/** What a job is about, as log lines name it. */
export const aboutJob = ({ id, type }: Job): Readonly<Record<string, string>> => {
  switch (type) {
    case "PlanV1":
      return { job: type, notification_id: id }
    case "SendV1": {
      const [app_id = "", provider = ""] = id.split(":")
      return { job: type, app_id, provider }
    }
    case "WebhookV1":
      return { job: type, webhook_id: id }
    case "FlowV1":
      return { job: type, app_id: id }
  }
}
