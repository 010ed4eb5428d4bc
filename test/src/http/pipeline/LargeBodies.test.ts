import { describe, expect, it } from "vitest"
import { ApiError } from "../../../../src/http/pipeline/ApiError.ts"
import { LargeBodies } from "../../../../src/http/pipeline/LargeBodies.ts"

/** Takes a megabyte and a half when it is read. */
const SMALL_PIECES = Buffer.from(JSON.stringify({ variables: { all: Array.from({ length: 22_000 }, () => ({})) } }))
const TEXT = Buffer.from(JSON.stringify({ content: { body: "x".repeat(SMALL_PIECES.length) } }))

/** How many bodies of an application are let in. */
const letIn = (bodies: LargeBodies, owner: string, body: Buffer, most = 1000) => {
  const leave: Array<() => void> = []
  for (let i = 0; i < most; i++) {
    const entered = bodies.enter(owner, body)
    if (entered instanceof ApiError) break
    leave.push(entered)
  }
  return leave
}

describe("large bodies", () => {
  it("are let in by the memory that they take when they are read, and refused beyond it", () => {
    const ofPieces = letIn(new LargeBodies(), "app", SMALL_PIECES).length
    expect(ofPieces).toBeGreaterThan(25)
    expect(ofPieces).toBeLessThan(60)
    expect(letIn(new LargeBodies(), "app", TEXT).length).toBeGreaterThan(10 * ofPieces)
  })

  it("leave half of the room to other applications, and all that they had when they end", () => {
    const bodies = new LargeBodies()
    const first = letIn(bodies, "greedy", SMALL_PIECES)
    const refused = bodies.enter("greedy", SMALL_PIECES)
    expect(refused).toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } })
    expect(letIn(bodies, "other", SMALL_PIECES).length).toBe(first.length)
    for (const leave of first) leave()
    expect(letIn(bodies, "greedy", SMALL_PIECES).length).toBe(first.length)
  })

  it("are not what messages to one person are: those are let in however many there are", () => {
    const message = Buffer.from(
      JSON.stringify({ to: { user_ids: ["ada"] }, content: { title: "Hello", body: "x".repeat(4000) } })
    )
    expect(letIn(new LargeBodies(), "app", message, 20_000).length).toBe(20_000)
  })
})
