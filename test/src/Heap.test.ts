import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const FLAGS = [
  "--max-semi-space-size=16",
  "--max-old-space-size=512",
  "--no-allocation-site-pretenuring",
  "--import=./src/compileCache.js"
]
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8")

it("gives node the same flags for its memory in every way to start that the project offers", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Readonly<Record<string, string>>
  }
  for (const name of ["start", "cli", "demo"]) expect(scripts[name]).toContain(`node ${FLAGS.join(" ")} src/main.ts`)
  expect(dockerfile).toContain(`"node", ${FLAGS.map((bound) => `"${bound}"`).join(", ")}, "src/main.ts"`)
  const unit = readFileSync(join(root, "deploy/heliograph.service"), "utf8")
  expect(unit).toContain(`node_modules/.bin/node ${FLAGS.join(" ")} src/main.ts serve`)
})

it("does not load what strips types where a start before this one kept the modules", () => {
  const told = "data:text/javascript,process.on('exit', () => console.log(process.moduleLoadList.join()))"
  const version = () =>
    execFileSync(process.execPath, [...FLAGS, `--import=${told}`, "src/main.ts", "--version"], {
      cwd: root,
      encoding: "utf8"
    })
  version()
  const modules = version()
  expect(modules).toContain("NativeModule")
  expect(modules).not.toContain("amaro")
})

it("finds the modules that node finds by itself", () => {
  const told =
    "data:text/javascript,import{registerHooks}from'node:module';const all=new Set;" +
    "registerHooks({load:(url,context,next)=>{const found=next(url,context);all.add([url,found.format].join());return found}});" +
    "process.on('exit',()=>console.log([...all].join(' ')))"
  const commandLine = "./src/cli/Run.ts"
  const loaded = (flags: ReadonlyArray<string>) =>
    execFileSync(
      process.execPath,
      [...flags, `--import=${told}`, "--input-type=module", "-e", `await import("${commandLine}")`],
      { cwd: root, encoding: "utf8", maxBuffer: 10_000_000 }
    )
      .trim()
      .split(" ")
      .sort()
  const own = loaded([])
  expect(own.length).toBeGreaterThan(1000)
  // The flag's own file is loaded before anything is told.
  expect(loaded([FLAGS.at(-1)!])).toEqual(own)
})

it("keeps all modules in the image, which its user cannot write to", () => {
  const [kept] = /RUN node --no-allocation-site-pretenuring [^]*?\nUSER/.exec(dockerfile)!
  expect(kept).toContain("src/main.ts --version")
  const paths = [...kept.matchAll(/"([^"]+\.ts)"/g)].map(([, path]) => path!)
  for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true)
  const onDemand = ["src/app.ts", "layers/mail/SmtpOnDemand.ts", "layers/mail/ServiceMailer.ts"].flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/import\("([^"]+)"\)/g)].map(([, path]) =>
      join(file, "..", path!)
    )
  )
  expect(onDemand.length).toBeGreaterThan(4)
  expect(paths).toEqual(expect.arrayContaining(onDemand))
})
