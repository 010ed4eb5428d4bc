import { describe, expect, it } from "vitest"
import { eventIdOf } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"

const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("eventIdOf", () => {
  it("gives each event of a chunk an id of its own, the same on every attempt", () => {
    const chunk = uuidv7()
    const ids = Array.from({ length: 1000 }, (_, index) => eventIdOf(chunk, index))
    expect(new Set(ids).size).toBe(1000)
    for (const id of ids) expect(id).toMatch(UUIDV7)
    expect(eventIdOf(chunk, 7)).toBe(ids[7])
  })
})
