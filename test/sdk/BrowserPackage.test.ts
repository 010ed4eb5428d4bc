import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import vm from "node:vm"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = resolve(import.meta.dirname, "../..")
/** Packing and installing, on a machine that is at work. Milliseconds. */
const PATIENCE = 120_000

let consumer = ""
const installed = (path: string): string => join(consumer, "node_modules/@heliograph/browser", path)

const npm = (cwd: string, ...words: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync("npm", [...words, "--offline", "--no-audit", "--no-fund"], {
    cwd,
    encoding: "utf8",
    timeout: PATIENCE,
    shell: process.platform === "win32"
  })
  if (status !== 0) throw new Error(`npm ${words.join(" ")} failed: ${stderr}${stdout}`)
  return stdout
}

beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), "heliograph-browser-package-"))
  await writeFile(join(consumer, "package.json"), '{"name":"consumer","private":true,"type":"module"}')
  // What was printed before it is of the build.
  const [packed] = JSON.parse(
    /\[\s*\{[\s\S]*$/.exec(npm(join(root, "sdk/browser"), "pack", "--json", "--pack-destination", consumer))![0]
  ) as [{ readonly filename: string }]
  npm(consumer, "install", join(consumer, packed.filename), "--omit=peer")
  for (const name of ["react", "vue", "@types", "csstype", "@vue"]) {
    if (existsSync(join(root, "node_modules", name)))
      await symlink(join(root, "node_modules", name), join(consumer, "node_modules", name))
  }
}, PATIENCE)
afterAll(() => rm(consumer, { recursive: true, force: true }))

const compile = async (name: string, source: string): Promise<string> => {
  await writeFile(join(consumer, name), source)
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--jsx", "react-jsx", "--types", "react"]
  const target = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--lib", "es2022,dom"]
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  return spawnSync(process.execPath, [tsc, ...flags, ...target, "--skipLibCheck", name], {
    cwd: consumer,
    encoding: "utf8"
  }).stdout
}

describe("the package @heliograph/browser, packed and installed", () => {
  it("needs nothing, and brings modules, a classic script, the worker, types and maps", async () => {
    const manifest = JSON.parse(await readFile(installed("package.json"), "utf8")) as {
      readonly dependencies?: unknown
      readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
    }
    expect(manifest.dependencies).toBeUndefined()
    const files = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry)
    )
    expect(files.filter((path) => !existsSync(installed(path)))).toEqual([])
    for (const name of ["browser.js", "browser.global.js", "inbox.js", "sw.js"]) {
      expect(existsSync(installed(`dist/${name}.map`))).toBe(true)
      // What nodes serve them as is of no use to bundlers.
      expect([`${name}.br`, `${name}.gz`].filter((form) => existsSync(installed(`dist/${form}`)))).toEqual([])
    }
  })

  it("exports what its types say, and the classic script puts it into the page", async () => {
    const { stderr, stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", `console.log(Object.keys(await import("@heliograph/browser")).toString())`],
      { cwd: consumer, encoding: "utf8" }
    )
    expect([stderr, stdout.trim()]).toEqual(["", "HeliographError,createClient"])
    const page: { Heliograph?: object } = {}
    vm.runInNewContext(await readFile(installed("dist/browser.global.js"), "utf8"), page)
    expect(Object.keys(page.Heliograph!)).toEqual(["createClient", "HeliographError"])
  })

  it("is the worker that nodes serve", async () => {
    const served = await readFile(join(root, "sdk/browser/dist/sw.js"), "utf8")
    expect(await readFile(installed("dist/sw.js"), "utf8")).toBe(served)
    expect(() => new vm.Script(served)).not.toThrow()
  })

  it("is typed for pages, the component, React and Vue, and tells what is wrong", async () => {
    const good = `import { createClient, HeliographError } from "@heliograph/browser"
import type { HeliographInboxElement } from "@heliograph/browser/inbox"
import { HeliographInbox } from "@heliograph/browser/react"
import { HeliographInbox as InVue } from "@heliograph/browser/vue"
const heliograph = createClient({ appId: "a", key: "pk_1", api: "https://push.example.com", identityHash: async (user) => user })
export const id: Promise<string> = heliograph.subscribe({ userId: "u", tags: ["news"] }).then(({ deviceId }) => deviceId)
heliograph.on("click", ({ url, data }) => [url?.length, data])
heliograph.on("error", (error) => error instanceof HeliographError && error.code === "PERMISSION_DENIED")
const inbox = heliograph.inbox({ userId: "u" })
const element: HeliographInboxElement = document.createElement("heliograph-inbox")
element.inbox = inbox
export const view = <HeliographInbox inbox={inbox} onOpenMessage={({ detail }) => detail.title?.length} />
export const component = InVue
`
    expect(await compile("good.tsx", good)).toBe("")
    const said = await compile(
      "bad.tsx",
      good
        .replace('tags: ["news"]', "tags: 7")
        .replace("inbox={inbox}", "inbox={7}")
        .replace('on("click"', 'on("clack"')
    )
    expect(said.match(/error TS/g)?.length).toBeGreaterThanOrEqual(3)
  })
})
