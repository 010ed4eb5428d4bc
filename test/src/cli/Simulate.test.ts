import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { watch } from "node:fs"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"

const MAIN = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
const FLEET = fileURLToPath(new URL("../../../simulators/Fleet.ts", import.meta.url))

let temporary: string
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), "heliograph-simulate-"))
})
/** Those that a test which fails leaves. */
const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill("SIGKILL")
  children.clear()
})
afterAll(() => rm(temporary, { recursive: true, force: true }))

/** Starts a program whose temporary files go to a folder of the test's; `told` comes with its first words. */
const start = (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [...args], {
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"]
  })
  children.add(child)
  child.stderr.resume()
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>
  return { child, ended, told: once(child.stdout, "data") as Promise<[Buffer]> }
}

const PROGRAMS: ReadonlyArray<[string, ReadonlyArray<string>]> = [
  ["simulate", [MAIN, "simulate"]],
  ["the fleet as a process of its own", [FLEET]]
]

describe.each(PROGRAMS)("%s", (_, args) => {
  it.each(["SIGTERM", "SIGINT"] as const)("leaves nothing behind at %s", async (signal) => {
    const { child, ended, told } = start(args)
    const [line] = await told
    expect(JSON.parse(line.toString()).ca).toContain(temporary)
    expect((await readdir(temporary)).length).toBe(1)
    child.kill(signal)
    await ended
    expect(await readdir(temporary)).toEqual([])
  })

  it("leaves nothing behind when it is told to end while it starts", async () => {
    const made = new Promise<void>((resolve) => {
      const watcher = watch(temporary, () => {
        watcher.close()
        resolve()
      })
    })
    const { child, ended } = start(args)
    await made
    child.kill("SIGTERM")
    await ended
    expect(await readdir(temporary)).toEqual([])
  })
})

describe("simulate", () => {
  it("leaves nothing behind when it cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const { port } = taken.address() as AddressInfo
    const { ended } = start([MAIN, "simulate", "--control-port", String(port)])
    expect((await ended)[0]).toBe(1)
    expect(await readdir(temporary)).toEqual([])
    taken.close()
  })
})
