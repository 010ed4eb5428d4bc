import { listOf } from "../segments/conditions.ts"

/** What lets people into a workflow, as the API takes it. */
export interface Trigger {
  readonly type: TriggerType
  readonly [more: string]: unknown
}
export type TriggerType = "api" | "event" | "tag_added" | "segment_entered" | "schedule"

/** Audiences of a schedule that its form can say. */
export const AUDIENCES = ["all", "segment_id", "tags_any", "user_ids"] as const
export type Audience = (typeof AUDIENCES)[number]

/** Which of them it is; `kept`: one that the form would lose a part of, as it divides lists by commas. */
export const audienceOf = (to: Readonly<Record<string, unknown>>): Audience | "kept" => {
  const [name, ...more] = Object.keys(to)
  if (name === undefined) return "all"
  const found = AUDIENCES.find((one) => one === name)
  const list = to[name]
  const isSaid = !Array.isArray(list) || JSON.stringify(listOf(list.join("\n"))) === JSON.stringify(list)
  return found !== undefined && more.length === 0 && isSaid ? found : "kept"
}
