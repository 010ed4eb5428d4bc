import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { onStage } from "./Child.ts"
import { cpuOf, peakOf } from "./Cpu.ts"
import { apnsCredential, startMailer } from "./mailing/Mailer.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"

/*
 * Where the engine's time goes in a mailing to iOS devices, by function, and by file: the self time of a CPU profile of
 * one engine process, over several mailings, so that compiling weighs little.
 *
 *   node bench/profile.ts [--devices 100000] [--mailings 3] [--rows 45]
 */

const argument = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}
const devices = argument("devices", 100_000)
const mailings = argument("mailings", 3)

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const root = new URL("..", import.meta.url)

await onStage(async (stage) => {
  const folder = stage.folder()
  const at = await identity(stage)
  const sink = await leanSink(stage, at)
  // The profile covers the process's life: setting up is left out by a first life that registers the devices.
  process.env["ENGINE_FLAGS"] = `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=500`
  const mailer = await startMailer(stage, { caFile: at.ca, settings: { PROCESSES: "1" } })
  const { engine } = mailer
  await engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
  await mailer.register(devices)
  const from = performance.now()
  const spans: Array<string> = []
  for (let n = 0; n < mailings; n++) {
    const before = [cpuOf([engine.process.pid!]), cpuOf([engine.postmaster])]
    const { counts, seconds } = await mailer.mail()
    const after = [cpuOf([engine.process.pid!]), cpuOf([engine.postmaster])]
    spans.push(
      `${(counts.sent / seconds).toFixed(0)}/s, CPU µs each: engine ${((after[0]! - before[0]!) / counts.sent).toFixed(1)}, ` +
        `PostgreSQL ${((after[1]! - before[1]!) / counts.sent).toFixed(1)}, peak ${peakOf(engine.process.pid!).toFixed(0)} MB`
    )
  }
  const tookUs = (performance.now() - from) * 1000
  await engine.close()
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"))
  const profile = JSON.parse(readFileSync(join(folder, file!), "utf8")) as Profile

  // Only the mailings: the last `tookUs` of the profile, up to the stop.
  const total = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0)
  const frames = new Map(profile.nodes.map(({ callFrame, id }) => [id, callFrame]))
  const [functions, files] = [new Map<string, number>(), new Map<string, number>()]
  let elapsed = 0
  let busy = 0
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index]!
    elapsed += delta
    if (elapsed < total - tookUs) continue
    const { functionName, lineNumber, url } = frames.get(id)!
    if (functionName === "(idle)") continue
    busy += delta
    const place = url.startsWith("file:") ? relative(root.pathname, new URL(url).pathname) : url || "(engine)"
    const name = `${functionName || "(anonymous)"} ${place}:${lineNumber + 1}`
    functions.set(name, (functions.get(name) ?? 0) + delta)
    const library = /^node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(place)?.[0]
    const group = place === "(engine)" ? functionName : (library ?? place)
    files.set(group, (files.get(group) ?? 0) + delta)
  }
  const print = (title: string, costs: Map<string, number>, rows: number) => {
    say(`\n${title}: µs a recipient, share`)
    for (const [name, us] of [...costs].toSorted((a, b) => b[1] - a[1]).slice(0, rows)) {
      say(`${(us / devices / mailings).toFixed(2).padStart(7)} ${((100 * us) / busy).toFixed(1).padStart(5)}%  ${name}`)
    }
  }
  for (const span of spans) say(span)
  print("By function, self", functions, argument("rows", 45))
  print("By file or package, self", files, 30)
})
