import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Runtime } from "effect"
import { Command } from "effect/cli"
import { describe, expect, it, vi } from "vitest"
import { heliograph } from "../../../src/cli/Heliograph.ts"

const ID = "01a1fbeb-b609-74f0-81a3-2762ff434392"
const PORTS = ["apns", "apns-sandbox", "fcm", "webpush", "browsers", "smtp", "webhooks", "control"].map(
  (name) => `${name}-port`
)
const NUMBERS = ["x", "1.5", "99999999999", ""]

/** Each command with what it needs, and of each of its flags values that it cannot use, and words of what it wants. */
const COMMANDS: Readonly<
  Record<string, { readonly needs: Readonly<Record<string, string>>; readonly flags: Readonly<Record<string, Wrong>> }>
> = {
  serve: { needs: {}, flags: { roles: { values: ["nope", "api,nope", ""], wants: "api, dispatch, webhooks" } } },
  migrate: { needs: {}, flags: { json: wrongSwitch() } },
  "app create": { needs: { name: "A" }, flags: { name: wrongName(), json: wrongSwitch() } },
  "app options": {
    needs: { app: ID },
    flags: {
      app: wrongId(),
      name: wrongName(),
      "identity-verification": { values: ["maybe", ""], wants: '"on" | "off"' },
      json: wrongSwitch()
    }
  },
  "app delete": { needs: { app: ID, name: "A" }, flags: { app: wrongId(), name: wrongName(), json: wrongSwitch() } },
  "app identity-secret": {
    needs: { app: ID },
    flags: {
      app: wrongId(),
      "overlap-seconds": { values: NUMBERS, wants: "a whole number from 0 to" },
      json: wrongSwitch()
    }
  },
  "key create": {
    needs: { app: ID, kind: "secret", name: "A" },
    flags: {
      app: wrongId(),
      kind: { values: ["nope", ""], wants: '"secret" | "public"' },
      name: wrongName(),
      json: wrongSwitch()
    }
  },
  "key list": { needs: { app: ID }, flags: { app: wrongId(), json: wrongSwitch() } },
  "key revoke": { needs: { app: ID, id: ID }, flags: { app: wrongId(), id: wrongId(), json: wrongSwitch() } },
  "credentials set": {
    needs: { app: ID },
    flags: { app: wrongId(), file: { values: [""], wants: "the path of a JSON file" }, json: wrongSwitch() }
  },
  "user login-code": {
    needs: { email: "ada@example.com" },
    flags: {
      email: wrongAddress(),
      purpose: { values: ["sign_in", ""], wants: '"sign-in" | "delete-account"' },
      json: wrongSwitch()
    }
  },
  "app list": { needs: {}, flags: { json: wrongSwitch() } },
  "user list": { needs: {}, flags: { json: wrongSwitch() } },
  "user disable": { needs: { email: "ada@example.com" }, flags: { email: wrongAddress(), json: wrongSwitch() } },
  "user enable": { needs: { email: "ada@example.com" }, flags: { email: wrongAddress(), json: wrongSwitch() } },
  "org list": { needs: {}, flags: { json: wrongSwitch() } },
  "org create": {
    needs: { name: "Shop", email: "ada@example.com" },
    flags: { name: wrongName(), email: wrongAddress(), json: wrongSwitch() }
  },
  "org enrol": {
    needs: { org: ID, email: "ada@example.com", role: "owner" },
    flags: {
      org: wrongId(),
      email: wrongAddress(),
      role: { values: ["nope", "Owner", ""], wants: '"viewer" | "member"' },
      json: wrongSwitch()
    }
  },
  simulate: {
    needs: {},
    flags: {
      host: { values: [""], wants: "an address of this machine" },
      folder: { values: [""], wants: "the path of a folder" },
      ...Object.fromEntries(PORTS.map((port) => [port, { values: NUMBERS, wants: "a whole number from 0 to 65535" }])),
      json: wrongSwitch()
    }
  },
  demo: {
    needs: {},
    flags: {
      devices: { values: [...NUMBERS, "0"], wants: "a whole number from 1 to 10000000" },
      json: wrongSwitch(),
      browser: wrongSwitch(),
      split: wrongSwitch(),
      kill: wrongSwitch()
    }
  },
  doctor: { needs: {}, flags: { json: wrongSwitch() } },
  work: { needs: {}, flags: {} }
}

interface Wrong {
  readonly values: ReadonlyArray<string>
  readonly wants: string
}

function wrongId(): Wrong {
  return { values: ["nope", `${ID}0`, ""], wants: `an id such as ${ID}` }
}

function wrongName(): Wrong {
  return { values: [" ", "a".repeat(121), "two\nlines", ""], wants: "a name: one line of 1 to 120 characters" }
}

function wrongAddress(): Wrong {
  return { values: ["nope", "a@b@c", "a b@example.com", ""], wants: "an e-mail address such as ada@example.com" }
}

function wrongSwitch(): Wrong {
  return { values: ["maybe"], wants: "true" }
}

/** What a command printed that did not understand its command line, and the code that its process ends with. */
const refused = async (args: ReadonlyArray<string>) => {
  let printed = ""
  const listen = (...parts: ReadonlyArray<unknown>) => void (printed += `${parts.join(" ")}\n`)
  const spies = [vi.spyOn(console, "log"), vi.spyOn(console, "error")].map((spy) => spy.mockImplementation(listen))
  try {
    const run = Command.runWith(heliograph, { version: "0" })(args).pipe(Effect.provide(NodeServices.layer))
    const exit = await Effect.runPromiseExit(run as Effect.Effect<void, unknown>)
    expect(Exit.isFailure(exit), args.join(" ")).toBe(true)
    const code = await new Promise<number>((resolve) => Runtime.defaultTeardown(exit, resolve))
    return { code, printed }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** The flags of a command, as its help names them. */
const flagsOf = async (command: string): Promise<ReadonlyArray<string>> => {
  let printed = ""
  const spy = vi.spyOn(console, "log").mockImplementation((text) => void (printed += `${text}\n`))
  try {
    const run = Command.runWith(heliograph, { version: "0" })([...command.split(" ").filter(Boolean), "--help"])
    await Effect.runPromise(run.pipe(Effect.provide(NodeServices.layer)) as Effect.Effect<void, unknown>)
  } finally {
    spy.mockRestore()
  }
  // oxlint-disable-next-line no-control-regex
  const plain = printed.replace(/\u001b\[[0-9;]*m/g, "")
  const section = /^SUBCOMMANDS/m.test(plain) ? "SUBCOMMANDS" : "FLAGS"
  const start = plain.search(new RegExp(`^${section}`, "m"))
  if (start === -1) return []
  const lines = plain.slice(start).split(/\n\n/, 1)[0]!.split("\n").slice(1)
  return lines.flatMap((line) => /^ {2}(?:--)?([a-z][a-z-]*)/.exec(line)?.[1] ?? [])
}

describe("the command line", () => {
  it("has no commands and flags but those whose mistakes are tried here", async () => {
    const known = Object.entries(COMMANDS).map(([command, { flags }]) => [command, Object.keys(flags).sort()])
    const found: Array<[string, ReadonlyArray<string>]> = []
    for (const first of await flagsOf("")) {
      const below = Object.keys(COMMANDS).filter((command) => command.startsWith(`${first} `))
      if (below.length === 0) found.push([first, [...(await flagsOf(first))].sort()])
      else
        for (const second of await flagsOf(first))
          found.push([`${first} ${second}`, [...(await flagsOf(`${first} ${second}`))].sort()])
    }
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known))
  })

  it("takes no text that is not UTF-8 for another text", async () => {
    const { code, printed } = await refused(["app", "create", "--name", "Caf\uFFFD"])
    expect(printed).toContain("Expected text in UTF-8")
    expect(code).toBe(1)
  })

  it("has --json for programs wherever there is something to read", () => {
    const without = Object.entries(COMMANDS).flatMap(([command, { flags }]) => ("json" in flags ? [] : command))
    expect(without).toEqual(["serve", "work"])
  })

  it.each(
    Object.entries(COMMANDS).flatMap(([command, { flags, needs }]) =>
      Object.entries(flags).map(([flag, wrong]) => ({ command, flag, needs, ...wrong }))
    )
  )(
    "$command says of --$flag what it wants and what it got, and ends with 1",
    async ({ command, flag, needs, values, wants }) => {
      for (const value of values) {
        const others = Object.entries(needs).flatMap(([name, good]) => (name === flag ? [] : [`--${name}=${good}`]))
        const rest = command === "credentials set" ? ["apns"] : []
        const { code, printed } = await refused([...command.split(" "), ...rest, ...others, `--${flag}=${value}`])
        const said = printed.slice(printed.lastIndexOf("ERROR"))
        expect(said).toContain(`--${flag}`)
        if (value !== "") expect(said).toContain(`"${value}"`)
        expect(said).toContain(wants)
        // Words for people, and none of a library for itself.
        expect(said).not.toMatch(/schema|validation|RegExp|a string representing|undefined|_tag/i)
        expect(printed).toContain(`heliograph ${command}`)
        expect(code).toBe(1)
      }
    }
  )
})
