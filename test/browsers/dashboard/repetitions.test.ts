import { afterEach, expect, it, vi } from "vitest"
import { askOnce } from "../../../dashboard/src/api/repetitions.ts"
import { Refusal } from "../../../dashboard/src/api/request.ts"

const storage = (isFull: boolean) => {
  const kept = new Map<string, string>()
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (isFull) throw new Error("QuotaExceededError")
      kept.set(name, value)
    },
    removeItem: (name: string) => kept.delete(name)
  })
}
afterEach(() => vi.unstubAllGlobals())

/** The keys with which the same is asked for, as each try ends. */
const keysOf = async (...ends: ReadonlyArray<string | null>): Promise<ReadonlyArray<string>> => {
  const keys: Array<string> = []
  for (const code of ends) {
    const ask = async (key: string): Promise<void> => {
      keys.push(key)
      if (code !== null) throw new Refusal(code, "")
    }
    await askOnce("Send", { title: "Hello" }, ask).catch(() => undefined)
  }
  return keys
}

it("repeats what had no final answer with its key, and takes a new one after each that was final", async () => {
  storage(false)
  const [first, second, third, fourth, fifth] = await keysOf(
    "unanswered",
    "unavailable",
    null,
    "validation_error",
    null
  )
  expect([second, third]).toEqual([first, first])
  expect(new Set([first, fourth, fifth]).size).toBe(3)
})

it("asks as well in a tab that keeps no more", async () => {
  storage(true)
  expect(await keysOf(null)).toHaveLength(1)
})
