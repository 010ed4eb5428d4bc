import { describe, expect, it } from "vitest"
import type { EventChunk } from "../../../../services/domain/webhooks/Event.ts"
import { eventBodies } from "../../../../services/domain/webhooks/Event.ts"
import type { AppId, EventChunkId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"

const chunk = (over: Partial<EventChunk>): EventChunk => ({
  id: uuidv7() as EventChunkId,
  appId: uuidv7() as AppId,
  event: "NOTIFICATION_SENT",
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  size: 2,
  common: { notificationId: "n" },
  columns: { deviceId: ["d0", "d1"], messageId: ["m0", null] },
  ...over
})

describe("eventBodies", () => {
  it("writes the envelope of the spec with the moment of the event in milliseconds", () => {
    const one = chunk({})
    expect(JSON.parse(eventBodies(one)(0))).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: "NOTIFICATION_SENT",
      appId: one.appId,
      timestamp: "2026-01-02T03:04:05.006Z",
      payload: { notificationId: "n", deviceId: "d0", messageId: "m0" }
    })
  })

  it("leaves a null value out", () => {
    expect(JSON.parse(eventBodies(chunk({}))(1)).payload).toEqual({ notificationId: "n", deviceId: "d1" })
  })

  it("escapes what providers said", () => {
    const body = eventBodies(chunk({ columns: { error: ['"}],\u2028\n', "x"] } }))(0)
    expect(JSON.parse(body).payload.error).toBe('"}],\u2028\n')
  })

  it("writes an object also when nothing is common", () => {
    expect(JSON.parse(eventBodies(chunk({ common: {}, columns: { error: [null] } }))(0)).payload).toEqual({})
  })
})
