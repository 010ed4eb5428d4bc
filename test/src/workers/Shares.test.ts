import { describe, expect, it } from "vitest"
import { sharesOf } from "../../../src/workers/Shares.ts"

const engine = { dispatchConcurrency: 8, webhookConcurrency: 32 }
const shares = (processes: number, roles: ReadonlyArray<string>, webhookConcurrency = 32) =>
  sharesOf({ engine: { ...engine, webhookConcurrency }, processes, roles: new Set(roles) })

describe("the processes of a node", () => {
  it("share what is meant for the node, so that no more is under way than with one process", () => {
    expect(shares(5, ["api", "dispatch", "webhooks"])).toEqual({
      workers: 4,
      mainPosts: 0,
      dispatchConcurrency: 2,
      webhookConcurrency: 8
    })
  })

  it.each([
    ["with one worker", 2, ["api", "webhooks"], 16],
    ["without the API", 4, ["webhooks"], 8],
    ["not beside the API of several workers", 5, ["api", "webhooks"], 0],
    ["not without the role", 2, ["api", "dispatch"], 0]
  ])("have the main one post as well %s", (_, processes, roles, mainPosts) => {
    const { webhookConcurrency, workers, ...rest } = shares(processes, roles)
    expect(rest.mainPosts).toBe(mainPosts)
    expect(rest.mainPosts + workers * webhookConcurrency).toBe(32)
  })

  it("leave a single post at once to the workers", () => {
    expect(shares(2, ["webhooks"], 1)).toMatchObject({ mainPosts: 0, webhookConcurrency: 1 })
  })
})
