import { Effect } from "effect"
import { execFile } from "node:child_process"
import { describe, expect, it } from "vitest"
import { command } from "./Command.ts"

const MAIN = new URL("../../../src/main.ts", import.meta.url).pathname

/** How a command ends whose output goes where the shell's `redirection` says. */
const ended = (redirection: string) =>
  new Promise<{ readonly code: number; readonly stderr: string }>((resolve) => {
    execFile(
      "bash",
      ["-c", `"$0" "$1" --help ${redirection}; exit "\${PIPESTATUS[0]}"`, process.execPath, MAIN],
      (error, _, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stderr })
    )
  })

describe("what a command prints", () => {
  it("names no flag that nothing heeds", async () => {
    const help = await Effect.runPromise(command(["--help"], {}))
    expect(help.out).toContain("--version")
    expect(help.out).not.toContain("--log-level")
    const { code, err } = await Effect.runPromise(command(["migrate", "--log-level", "debug"], {}))
    expect([code, err]).toEqual([1, expect.stringContaining("Unrecognized flag: --log-level")])
  })

  it("is part of its work: where it cannot be written, the command fails and says why", async () => {
    const { code, stderr } = await ended("> /dev/full")
    expect(stderr).toContain("The output could not be written and is not whole: ENOSPC")
    expect(code).toBe(1)
  })

  it("may be read in part: a reader that ends first makes no failure", async () => {
    expect(await ended("| true")).toEqual({ code: 0, stderr: "" })
  })
})
