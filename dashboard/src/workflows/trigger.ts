/** What lets people into a workflow, as the API takes it. */
export interface Trigger {
  readonly type: TriggerType
  readonly [more: string]: unknown
}
export type TriggerType = "api" | "event" | "tag_added" | "segment_entered" | "schedule"
