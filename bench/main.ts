import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus } from "node:os"
import type { Benchmark, Options, Result } from "./Harness.ts"
import { say, shown } from "./Harness.ts"
import { plot } from "./Plot.ts"

/*
 *   npm run bench                          everything, one after the other
 *   npm run bench -- <name> [--short]      one of them
 *   npm run bench -- <name> --help         its flags, as its file says them
 */

const MODULES = [
  "transport",
  "mailing",
  "mails",
  "fcm",
  "webhooks",
  "events",
  "webpush",
  "ingress",
  "graphql",
  "singles",
  "workflows",
  "import",
  "scaling",
  "nodes",
  "latency"
]

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const RESULTS = new URL("results/", import.meta.url)

const machine = () => ({
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? "unknown",
  node: process.version,
  load: Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0])
})

const write = (result: Result, options: Options): void => {
  mkdirSync(RESULTS, { recursive: true })
  const name = options.short ? `${result.name}-short` : result.name
  const at = new Date().toISOString()
  writeFileSync(
    new URL(`${name}.json`, RESULTS),
    `${JSON.stringify({ at, machine: machine(), ...result }, rounded, 2)}\n`
  )
  for (const [index, table] of result.tables.entries()) {
    writeFileSync(new URL(`${name}${result.tables.length > 1 ? `-${index + 1}` : ""}.svg`, RESULTS), plot(table))
  }
}

/** More digits than were measured only make differences in a diff. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value

const names: Array<string> = []
const flags = new Map<string, string>()
for (let at = 2; at < process.argv.length; at++) {
  const word = process.argv[at]!
  if (!word.startsWith("--")) names.push(word)
  else {
    const next = process.argv[at + 1]
    const hasValue = next !== undefined && !next.startsWith("--") && !MODULES.includes(next)
    flags.set(word.slice(2), hasValue ? next : "true")
    if (hasValue) at++
  }
}
for (const name of names) {
  if (!MODULES.includes(name)) throw new Error(`There is no benchmark ${name}; there are ${MODULES.join(", ")}`)
}
const options: Options = { short: flags.has("short"), flags }

/** What the comment of a benchmark says of its flags. */
const usageOf = (name: string): ReadonlyArray<string> => {
  const lines = readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8").split("\n")
  const first = lines.findIndex((line) => line.startsWith(" *   npm run bench"))
  if (first === -1) return [`npm run bench -- ${name} [--short]`]
  const length = lines.slice(first).findIndex((line) => !line.startsWith(" *   "))
  return lines.slice(first, first + length).map((line) => line.slice(5))
}

/** Those that the comment names: a word that nobody reads would only seem to have been heard. */
const checkFlags = (name: string): void => {
  const usage = usageOf(name).join("\n")
  const known = new Set(["short", "help", ...[...usage.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag!)])
  for (const flag of flags.keys()) {
    if (!known.has(flag)) throw new Error(`The benchmark ${name} has no flag --${flag}. Its flags:\n${usage}`)
  }
}

if (flags.has("help")) {
  print("npm run bench                          everything, one after the other")
  print("npm run bench -- <name> [--short]      one of them; further flags by name:\n")
  for (const name of names.length === 0 ? MODULES : names) print(usageOf(name).join("\n"))
  process.exit()
}

for (const name of names) checkFlags(name)
for (const name of names.length === 0 ? MODULES : names) {
  const { benchmark } = (await import(`./${name}.ts`)) as { readonly benchmark: Benchmark }
  say(`${benchmark.name}: ${benchmark.about}`)
  const begun = performance.now()
  const result = await benchmark.run(options)
  write(result, options)
  for (const table of result.tables) print(`\n${shown(table)}`)
  print("")
  for (const [fact, value] of Object.entries(result.facts)) {
    print(`${fact}: ${typeof value === "number" ? Number(value.toPrecision(4)) : value}`)
  }
  say(`${name} took ${((performance.now() - begun) / 1000).toFixed(0)} s`)
}
