import { spawnSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = resolve(import.meta.dirname, "../..")
let directory = ""
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "heliograph-sdk-"))
  await mkdir(join(directory, "node_modules/@heliograph"), { recursive: true })
  await symlink(join(root, "sdk/node"), join(directory, "node_modules/@heliograph/node"))
  await writeFile(join(directory, "package.json"), '{"type":"module"}')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** What the compiler says of programs that use the package, by the names of their files. */
const compile = (programs: Readonly<Record<string, string>>) =>
  Promise.all(Object.entries(programs).map(([name, source]) => writeFile(join(directory, name), source))).then(() => {
    const types = join(root, "node_modules/@types")
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext", "--skipLibCheck", "false"]
    const more = ["--typeRoots", types, "--types", "node", "--lib", "esnext"]
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    return spawnSync(process.execPath, [tsc, ...flags, ...more, ...Object.keys(programs)], {
      cwd: directory,
      encoding: "utf8"
    }).stdout
  })

describe("the package", () => {
  it("depends on nothing", async () => {
    const manifest = JSON.parse(await readFile(join(root, "sdk/node/package.json"), "utf8")) as object
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
  })

  it("is plain JavaScript: Node runs it without stripping types", async () => {
    const code = `import { createClient, HeliographError, verifyWebhook } from "@heliograph/node"
const client = createClient({ apiKey: "sk_x", baseUrl: "https://push.example.com" })
console.log(JSON.stringify([typeof client.devices.list, verifyWebhook("", "", "s"), new HeliographError("x").name]))`
    await writeFile(join(directory, "plain.js"), code)
    const { stderr, stdout } = spawnSync(process.execPath, ["--no-strip-types", "plain.js"], {
      cwd: directory,
      encoding: "utf8"
    })
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toEqual(["function", false, "HeliographError"])
  })

  it("is typed: a program in TypeScript knows bodies, answers and codes, and is told of what is wrong", async () => {
    const good = `import { createClient, HeliographApiError } from "@heliograph/node"
const client = createClient({ apiKey: "sk_x", baseUrl: "https://push.example.com" })
const { id } = await client.notifications.create({ to: { all: true }, content: { title: "x" } })
const status: string = (await client.notifications.get(id)).status
for await (const device of client.devices.list({ platform: "ios" })) device.token.length
const next: string | null = (await client.webhooks.list()).next_cursor
try {
  await client.devices.delete(id, { signal: AbortSignal.timeout(1000) })
} catch (error) {
  if (error instanceof HeliographApiError && error.code === "rate_limited_or_not") throw error
}
export { next, status }
`
    expect(await compile({ "good.ts": good.replace('"rate_limited_or_not"', '"not_found"') })).toBe("")
    const said = await compile({
      "bad.ts": good.replace("all: true", "everybody: true").replace("token.length", "tokens.length")
    })
    expect(said).toContain("'everybody' does not exist")
    expect(said).toContain("'tokens' does not exist")
    expect(said).toContain('"rate_limited_or_not"')
  })

  it("takes a Date or its text for every moment that is sent, and gives texts", async () => {
    const good = `import { createClient } from "@heliograph/node"
const client = createClient({ apiKey: "sk_x", baseUrl: "https://push.example.com" })
const now = new Date()
const { id } = await client.notifications.create({ to: { all: true }, content: { title: "x" }, send_at: now })
await client.notifications.update(id, { send_at: "2026-12-24T18:00:00Z" })
await client.notifications.update(id, { send_at: null })
await client.webhooks.redeliver(id, { from: now, to: now.toISOString() })
for await (const { created_at } of client.devices.list({ created_from: now, created_before: "2026-12-24T18:00:00Z" }))
  created_at.toUpperCase()
export const { send_at }: { readonly send_at: string | null } = await client.notifications.get(id)
`
    expect(await compile({ "times.ts": good })).toBe("")
    const said = await compile({ "times-bad.ts": good.replace("send_at: now", "send_at: 1766599200") })
    expect(said).toContain("Type 'number' is not assignable to type 'string | Date | undefined'")
  })

  it("has a README whose examples compile as they stand", async () => {
    const readme = await readFile(join(root, "sdk/node/README.md"), "utf8")
    const examples = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)
    expect(examples.length).toBeGreaterThan(7)
    // What of Express, which the project does not install, its receiver uses.
    await mkdir(join(directory, "node_modules/express"), { recursive: true })
    await writeFile(join(directory, "node_modules/express/package.json"), '{"type":"module","types":"./index.d.ts"}')
    await writeFile(
      join(directory, "node_modules/express/index.d.ts"),
      `export interface Request { body: any; get(name: string): string | undefined }
export interface Response { sendStatus(status: number): void }
type Handler = (request: Request, response: Response) => void
declare const express: {
  (): { post(path: string, ...handlers: ReadonlyArray<Handler>): void; listen(port: number): void }
  raw(options: { type: string; limit: string }): Handler
}
export default express
`
    )
    const client = `import { createClient } from "@heliograph/node"
const heliograph = createClient({ apiKey: process.env["KEY"], baseUrl: "https://push.example.com" })
`
    const around = `declare const queue: { add(id: string, event: object): Promise<void> }
declare function devicesFromMyDatabase(): AsyncIterable<{ platform: "ios"; token: string }>
`
    const programs = examples.map(
      (code) => `${code.includes("createClient(") ? "" : client}${code}${around}export {}\n`
    )
    const named = programs.map((program, i) => [`example${i}.ts`, program])
    expect(await compile(Object.fromEntries(named) as Record<string, string>)).toBe("")
  })
})
