import { buildSchema } from "graphql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { makeExecutor } from "../../../src/graphql/Executor.ts"

const SCHEMA = readFileSync(join(import.meta.dirname, "../../../docs/schema.graphql"), "utf8")

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const heap = () => {
  collect()
  return process.memoryUsage().heapUsed
}

describe("what is remembered of queries", () => {
  it.each([
    ["with a field that there is not", true, (i: number) => `{z${i}}`],
    ["of strangers", false, (i: number) => `{z${i}}`],
    ["of strangers, with what they may ask", false, (i: number) => `mutation{requestLoginCode(email:"a"){b${i}}}`],
    ["that are none", true, (i: number) => `{z${i}`]
  ])("is nothing of those %s", (_, isKnown, query) => {
    const executor = makeExecutor(buildSchema(SCHEMA))
    const ask = (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        const prepared = executor.prepare({ query: query(i), variables: {}, operationName: null }, isKnown)
        expect("cost" in prepared).toBe(false)
      }
    }
    ask(0, 100)
    const before = heap()
    ask(100, 1100)
    expect((heap() - before) / 1000).toBeLessThan(2_000)
    // Something that the executor refers to is not collected before it.
    expect(executor.yoga).toBeDefined()
  })

  it("is the document of those that are valid", () => {
    const executor = makeExecutor(buildSchema(SCHEMA))
    const ask = () => executor.prepare({ query: "{ me { id } }", variables: {}, operationName: null }, true)
    const [first, second] = [ask(), ask()]
    if (!("cost" in first) || !("cost" in second)) throw new Error("The query is not valid")
    expect(second.document).toBe(first.document)
  })
})
