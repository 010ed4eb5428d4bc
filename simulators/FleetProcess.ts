import { fork } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Rule } from "./Behaviour.ts"
import type { FleetDescription, FleetOptions } from "./Fleet.ts"
import type { Stats } from "./Simulator.ts"

/** A fleet in a process of its own, so that it does not share the event loop of what it measures. */
export interface FleetProcess {
  readonly pid: number
  readonly description: FleetDescription
  /** Counters by simulator: apns, apns-sandbox, fcm, webpush, smtp, webhooks, webhooks/<receiver>. */
  readonly stats: () => Promise<Readonly<Record<string, Stats>>>
  readonly received: (simulator: string) => Promise<Map<string, number>>
  /** Replaces a simulator's rules. Throws an Error that names what is wrong with them. */
  readonly behave: (simulator: string, ...rules: ReadonlyArray<Rule>) => Promise<void>
  readonly reset: () => Promise<void>
  readonly revokeTokens: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Speaks to a fleet's control API. */
export const controlOf = (url: string): Omit<FleetProcess, "pid" | "description" | "stop"> => {
  const get = async (path: string): Promise<Response> => {
    const answer = await fetch(`${url}${path}`)
    if (!answer.ok) throw new Error(`the fleet answers ${answer.status} to ${path}`)
    return answer
  }
  const post = async (path: string, body: unknown): Promise<void> => {
    const answer = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error((JSON.parse(text) as { error: string }).error)
  }
  return {
    stats: async () => (await (await get("/stats")).json()) as Readonly<Record<string, Stats>>,
    received: async (simulator) => {
      const text = await (await get(`/received/${encodeURIComponent(simulator)}`)).text()
      const lines = text.split("\n").filter((line) => line !== "")
      return new Map(lines.map((line) => JSON.parse(line) as readonly [string, number]))
    },
    behave: (simulator, ...rules) => post("/behaviour", { simulator, rules }),
    reset: () => post("/reset", {}),
    revokeTokens: () => post("/revoke-tokens", {})
  }
}

/** Forks a fleet; it ends with `stop`, or with this process. */
export const forkFleet = async (options: FleetOptions = {}): Promise<FleetProcess> => {
  const child = fork(fileURLToPath(new URL("Fleet.ts", import.meta.url)), [JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    execArgv: []
  })
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
  })
  const first = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).once("line", resolve)
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`the fleet ended with code ${code} before it was ready`)))
  })
  const description = JSON.parse(await first) as FleetDescription
  return {
    pid: child.pid!,
    description,
    ...controlOf(description.control),
    stop: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}
