/*
 * `npm run test:sdks`: every SDK against a service that misbehaves and against a running one.
 *
 *   --only python,go   these languages alone
 *   --case <text>      cases whose names have this in them, and nothing else
 *   --readmes          the code of the READMEs, and nothing else
 *
 * Most of the time is waiting, so languages go side by side; what is said of each stands together.
 */

import { execFile } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { Case } from "./cases.ts"
import { cancelling, cases, encodings, forking, Growth, importsInParts, looping, memory, untyped } from "./cases.ts"
import type { Driver } from "./Driver.ts"
import { startDriver } from "./Driver.ts"
import type { Engine } from "./engine.ts"
import { mainJob, startEngine } from "./engine.ts"
import type { Language } from "./languages.ts"
import { LANGUAGES } from "./languages.ts"
import { startMisbehaving } from "./Misbehaving.ts"
import { runReadme } from "./readmes.ts"

const { values } = parseArgs({
  options: { only: { type: "string" }, case: { type: "string" }, readmes: { type: "boolean", default: false } }
})
const chosen = LANGUAGES.filter(({ name }) => values.only === undefined || values.only.split(",").includes(name))
const filter = values.case
const SIDE_BY_SIDE = 3
let failures = 0

/** What is said of a language. */
class Report {
  private lines: Array<string> = []
  say(line: string) {
    this.lines.push(line)
  }
  fail(what: string, error: unknown) {
    failures++
    const reason = String((error as Error)?.message ?? error).split("\n")
    this.say(`  ✗ ${what}\n    ${reason.slice(0, 14).join("\n    ")}`)
  }
  print() {
    process.stdout.write(`${this.lines.join("\n")}\n`)
  }
}

const runs = ([program, ...args]: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv) =>
  new Promise<{ readonly ok: boolean; readonly said: string }>((resolve) => {
    execFile(program!, args, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, said: `${error?.message ?? ""}\n${stdout}${stderr}` })
    )
  })

/** One installation at a time. */
let installing: Promise<unknown> = Promise.resolve()
const install = (packages: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv) => {
  const next = installing.then(async () => {
    await runs(["apt-get", "update", "-qq"], cwd, env)
    const apt = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages]
    await runs(apt, cwd, { ...env, DEBIAN_FRONTEND: "noninteractive" })
  })
  installing = next
  return next
}

class Missing extends Error {}

/** What is missing comes from Debian where this is root on it; elsewhere it is said how to get it. */
const prepare = async (language: Language, cwd: string, env: NodeJS.ProcessEnv) => {
  const { build, elsewhere, packages, probe } = language
  if (!(await runs(probe, cwd, env)).ok) {
    const canInstall = process.getuid?.() === 0 && (await runs(["apt-get", "--version"], cwd, env)).ok
    if (canInstall && packages.length > 0) await install(packages, cwd, env)
    const { ok, said } = await runs(probe, cwd, env)
    if (!ok) throw new Missing(`${probe.join(" ")}: ${said}\nHow to get it: ${elsewhere}`)
  }
  for (const command of build) {
    const { ok, said } = await runs(command, cwd, env)
    if (!ok) throw new Error(`${command.join(" ")}: ${said}`)
  }
}

type Server = Awaited<ReturnType<typeof startMisbehaving>>

const runCases = async (list: ReadonlyArray<Case>, label: string, driver: Driver, server: Server, report: Report) => {
  let passed = 0
  for (const { name, run } of list) {
    try {
      await run(driver, server)
      passed++
    } catch (error) {
      report.fail(`${label} ${name}`, error)
    }
  }
  return passed
}

const runLanguage = async (language: Language, server: Server, engine: Engine | null, report: Report) => {
  const { directory, drivers, env: more, name, uncancellable = {} } = language
  const cwd = join(import.meta.dirname, "..", directory)
  const env = { ...process.env, ...more }
  report.say(`${name}`)
  const start = performance.now()
  try {
    await prepare(language, cwd, env)
  } catch (error) {
    const reason = language.mayBeMissing
    if (!(error instanceof Missing) || reason === undefined) return report.fail("is ready to run", error)
    return report.say(`  NOT RUN: ${reason}. How to get it: ${language.elsewhere}`)
  }
  if (language.build.length > 0) report.say(`  built in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  const readme = async () => {
    if (engine === null) return
    const began = performance.now()
    try {
      const [ran, ...notes] = await runReadme(name, engine, await engine.createApplication(`README of ${name}`), env)
      report.say(`  ${name}: ${ran}, ${((performance.now() - began) / 1000).toFixed(1)} s`)
      for (const note of notes) report.say(`  ${name}: ${note}`)
    } catch (error) {
      report.fail(`${name} does what its README says`, error)
    }
  }
  const drive = async ([label, command]: readonly [string, ReadonlyArray<string>]) => {
    const began = performance.now()
    const reason = uncancellable[label]
    const all = [
      ...cases,
      ...(language.untyped ? untyped : []),
      ...(language.encodings ? encodings : []),
      ...(language.forks ? forking : []),
      ...(language.loops?.includes(label) ? looping : []),
      ...importsInParts,
      ...(reason === undefined ? cancelling : [])
    ]
    const list = all.filter((one) => filter === undefined || one.name.includes(filter))
    const driver = startDriver(command, cwd, env)
    const passed = await runCases(list, label, driver, server, report)
    report.say(`  ${label}: ${passed} of ${list.length} cases, ${((performance.now() - began) / 1000).toFixed(1)} s`)
    if (reason !== undefined)
      report.say(`  ${label}: ${cancelling.length} cases about cancelling are not for it: ${reason}`)
    if (engine !== null) {
      try {
        await mainJob(driver, engine, await engine.createApplication(label))
        report.say(`  ${label}: the main job on a running service`)
      } catch (error) {
        report.fail(`${label} does the main job on a running service`, error)
      }
    }
    driver.stop()
    if (filter !== undefined) return
    for (const one of memory) {
      try {
        report.say(`  ${label}: ${one.name}: ${await settled(() => startDriver(command, cwd, env), one.run, server)}`)
      } catch (error) {
        report.fail(`${label} ${one.name}`, error)
      }
    }
  }
  await Promise.all([readme(), ...(values.readmes ? [] : Object.entries(drivers).map(drive))])
}

const ATTEMPTS = 3

/**
 * What a run says of its memory. A collector that was late for once makes a process large that holds nothing, so the
 * best of a few counts: one that holds all the lines is large every time. Each in a process of its own, so that none
 * hides another's.
 */
const settled = async (
  start: () => Driver,
  run: (driver: Driver, server: Server) => Promise<string>,
  server: Server
): Promise<string> => {
  for (let attempt = 1; ; attempt++) {
    const driver = start()
    try {
      return await run(driver, server)
    } catch (error) {
      if (!(error instanceof Growth) || attempt === ATTEMPTS) throw error
    } finally {
      driver.stop()
    }
  }
}

const server = await startMisbehaving()
const engine = filter === undefined ? await startEngine() : null
try {
  const waiting = [...chosen]
  const lane = async () => {
    for (let language = waiting.shift(); language !== undefined; language = waiting.shift()) {
      const report = new Report()
      await runLanguage(language, server, engine, report)
      report.print()
    }
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane))
} finally {
  server.stop()
  await engine?.stop()
}
process.stdout.write(
  failures === 0 ? "All that ran do what every client does (sdk/README.md).\n" : `${failures} failed.\n`
)
process.exit(failures === 0 ? 0 : 1)
