import { describe, expect, it } from "vitest"
import { Behaviour, parseRules, type Rule } from "../../simulators/Behaviour.ts"

const taken = (rules: ReadonlyArray<Rule>, names: ReadonlyArray<string>) => {
  const behaviour = new Behaviour()
  behaviour.set(...rules)
  return names.map((name) => behaviour.next(name)?.do ?? "-")
}

describe("a simulator's rules", () => {
  it("let everything pass when there are none", () => {
    expect(taken([], ["a", "b"])).toEqual(["-", "-"])
  })

  it("are asked in order, and a spent one gives way to the next", () => {
    expect(
      taken(
        [
          { do: "throttle", first: 1 },
          { do: "reset", first: 2 }
        ],
        ["a", "b", "c", "d"]
      )
    ).toEqual(["throttle", "reset", "reset", "-"])
  })

  it("hold for each nth of the requests that match", () => {
    expect(
      taken([{ do: "hang", every: 2, match: ["a*", "exact"] }], ["a1", "b", "a2", "exact", "exacter", "a3"])
    ).toEqual(["-", "-", "hang", "-", "-", "hang"])
  })

  it("start anew when they are set", () => {
    const behaviour = new Behaviour()
    behaviour.set({ do: "close", first: 1 })
    behaviour.next("a")
    behaviour.set({ do: "close", first: 1 })
    expect(behaviour.next("a")?.do).toBe("close")
    behaviour.set()
    expect(behaviour.next("a")).toBeUndefined()
  })

  it.each([
    [{}, "rules must be a list"],
    [[1], "rules[0] must be an object"],
    [[{ do: "explode" }], "rules[0].do must be one of refuse, throttle, hang, delay, goaway, reset, close"],
    [[{ do: "hang" }, { do: "delay", ms: "5" }], "rules[1].ms must be a whole number"],
    [[{ do: "refuse", reason: 5 }], "rules[0].reason must be text"],
    [[{ do: "refuse", accept: "yes" }], "rules[0].accept must be true or false"],
    [[{ do: "refuse", match: "a" }], "rules[0].match must be a list of texts"],
    [[{ do: "refuse", often: 1 }], "rules[0].often is unknown"]
  ])("are checked when they come from elsewhere: %j", (input, message) => {
    expect(() => parseRules(input)).toThrow(message)
  })
})
