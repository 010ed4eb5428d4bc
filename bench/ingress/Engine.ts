import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** An engine with an embedded database of its own, in a directory that is removed at the end. */
export interface Engine {
  readonly url: string
  readonly port: number
  readonly process: ChildProcess
  readonly dataDir: string
  /** The process id of the database's postmaster. */
  readonly postmaster: number
  /** The Authorization header of the application that the first start makes. */
  readonly authorization: string
  readonly call: (method: "POST" | "PUT", path: string, body: unknown) => Promise<{ readonly id: string }>
  readonly close: () => Promise<void>
}

export const linesOf = (child: ChildProcess) => createInterface({ input: child.stdout! })[Symbol.asyncIterator]()

export const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  await once(child, "exit")
}

/** The postmaster is no child of the engine: its number stands in its data directory. */
const postmasterOf = (directory: string): number => {
  const [file] = readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith("postmaster.pid"))
  return file === undefined ? -1 : Number(readFileSync(join(directory, String(file)), "utf8").split("\n", 1)[0])
}

/** What `npm start` gives node: bounds of the heap, and how objects grow old. */
const NODE_FLAGS = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
  .scripts.start.split(" ")
  .filter((word: string) => word.startsWith("--"))

/**
 * `ENGINE_FLAGS` of the environment go to the engine's node, for profiles. A `DATA_DIR` that is given stays whose it is: it
 * is not removed at the end. Only the first start with a database prints keys: a further node gets the `authorization` of
 * the first.
 */
export const startEngine = async (over: NodeJS.ProcessEnv, authorization?: string): Promise<Engine> => {
  const dataDir = over["DATA_DIR"] ?? mkdtempSync(join(tmpdir(), "heliograph-ingress-"))
  // Below those that Linux gives to outgoing connections.
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const url = `http://127.0.0.1:${port}`
  const flags = (process.env["ENGINE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "")
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, ...flags, new URL("../../src/main.ts", import.meta.url).pathname, "serve"],
    {
      env: {
        PATH: process.env["PATH"],
        PORT: String(port),
        HOST: "127.0.0.1",
        BASE_URL: url,
        DATA_DIR: dataDir,
        LOG_LEVEL: "warn",
        // What is measured is the work: a budget that is used up would end it.
        RATE_LIMIT_SECRET: "1000000000/60",
        ...over
      },
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  // An interrupt may end the benchmark while this is not ready yet, and nobody knows it.
  const end = () => child.kill("SIGTERM")
  process.once("exit", end)
  const close = async () => {
    process.off("exit", end)
    await stop(child)
    if (over["DATA_DIR"] === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const keys = new Map<string, string>()
    const printed = linesOf(child)
    const first = authorization === undefined ? ["secret_key", "identity_secret"] : []
    while (!first.every((name) => keys.has(name))) {
      const line = await printed.next()
      if (line.done === true) throw new Error("The engine ended before it was ready")
      const [name, value] = line.value.trim().split(/\s+/)
      if (name !== undefined && value !== undefined) keys.set(name, value)
    }
    while (
      !(await fetch(`${url}/readyz`).then(
        (response) => response.ok,
        () => false
      ))
    ) {
      if (child.exitCode !== null) throw new Error("The engine ended before it was ready")
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const key = authorization ?? `ApiKey ${keys.get("secret_key")}`
    const call: Engine["call"] = async (method, path, body) => {
      const headers = { authorization: key, "content-type": "application/json" }
      const init: RequestInit = { method, headers, body: JSON.stringify(body) }
      const response = await fetch(url + path, init)
      if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
      return (await response.json()) as { id: string }
    }
    return { url, port, process: child, dataDir, postmaster: postmasterOf(dataDir), authorization: key, call, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The user with this number. */
export const userOf = (index: number): string => `user-${index}`

/** So many devices of the application, by id; each user has as many of them as `each` says, nobody any when it is 0. */
export const registerDevices = async (engine: Engine, count: number, each = 0): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let i = 0; i < count; i++) {
    const body = {
      token: `b${i.toString(16).padStart(63, "0")}`,
      platform: "ios",
      ...(each > 0 && { user_id: userOf(Math.floor(i / each)) })
    }
    ids.push((await engine.call("POST", "/api/v1/public/devices", body)).id)
  }
  return ids
}
