import { Schema } from "effect"
import type { AppId, EventChunkId } from "../Ids.ts"
import { eventIdsOf } from "../Ids.ts"
import { isoTime } from "../Time.ts"

/** The nine events of spec 6. */
export const EventName = Schema.Literals([
  "NOTIFICATION_SENT",
  "NOTIFICATION_FAILED",
  "NOTIFICATION_DELIVERED",
  "NOTIFICATION_OPENED",
  "NOTIFICATION_CLICKED",
  "WORKFLOW_COMPLETED",
  "WORKFLOW_FILTERED",
  "WORKFLOW_FAILED",
  "WORKFLOW_CANCELLED"
])
export type EventName = typeof EventName.Type

/**
 * Events that share their name, application and moment, written and read as one row.
 * The payload of event `i` is `common` plus, for each column, its value at `i`; a null value is left out.
 */
export interface EventChunk {
  readonly id: EventChunkId
  readonly appId: AppId
  readonly event: EventName
  /** Epoch milliseconds: the moment of the events, not of any attempt. */
  readonly at: number
  readonly size: number
  readonly common: Readonly<Record<string, string>>
  readonly columns: Readonly<Record<string, ReadonlyArray<string | number | null>>>
  /** The span that they follow from, if they are traced. */
  readonly trace?: string | null
}

/** Writes the bodies of spec 2.3 for a chunk's events; what they share is serialised once. */
export const eventBodies = (chunk: EventChunk): ((index: number) => string) => {
  const idOf = eventIdsOf(chunk.id)
  const common = Object.entries(chunk.common).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const envelope =
    `","event":"${chunk.event}","appId":"${chunk.appId}","timestamp":"${isoTime(chunk.at)}",` +
    `"payload":{${common.join(",")}`
  const columns = Object.entries(chunk.columns).map(([name, values]) => [`${JSON.stringify(name)}:`, values] as const)
  return (index) => {
    let body = `{"id":"${idOf(index)}${envelope}`
    let isFirst = common.length === 0
    for (const [name, values] of columns) {
      const value = values[index]
      if (value === null || value === undefined) continue
      body += isFirst ? name : `,${name}`
      body += JSON.stringify(value)
      isFirst = false
    }
    return `${body}}}`
  }
}
