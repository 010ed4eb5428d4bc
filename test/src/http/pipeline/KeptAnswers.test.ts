import { describe, expect, it } from "vitest"
import type { AppId } from "../../../../services/domain/Ids.ts"
import { makeKeptAnswers } from "../../../../src/http/pipeline/KeptAnswers.ts"

const [OURS, THEIRS] = ["ours" as AppId, "theirs" as AppId]
const MEGABYTE = 1 << 20
const answer = (bytes: number) => ({ status: 201, body: "x".repeat(bytes), location: "/there" })

describe("what is kept of answers for repetitions", () => {
  it("is all of an answer of up to a megabyte, and else that the work was done", () => {
    const { bounded } = makeKeptAnswers()
    expect(bounded(OURS, "id", answer(MEGABYTE))).toEqual(answer(MEGABYTE))
    const kept = bounded(OURS, "id", answer(MEGABYTE + 1))
    expect([kept.status, kept.location, JSON.parse(kept.body).error]).toEqual([
      409,
      "/there",
      expect.objectContaining({ code: "conflict", request_id: "id" })
    ])
    // Bytes and not characters.
    expect(bounded(OURS, "id", { ...answer(0), body: "ä".repeat(MEGABYTE / 2 + 1) }).status).toBe(409)
  })

  it("is 32 MB of an application in a day, where short answers are not counted", () => {
    const { bounded } = makeKeptAnswers()
    const large = () => bounded(OURS, "id", answer(MEGABYTE)).status
    expect(Array.from({ length: 33 }, large)).toEqual([...Array.from({ length: 32 }, () => 201), 409])
    expect(bounded(OURS, "id", answer(4097)).status).toBe(409)
    expect(bounded(OURS, "id", answer(4096)).status).toBe(201)
    expect(bounded(THEIRS, "id", answer(MEGABYTE)).status).toBe(201)
  })
})
