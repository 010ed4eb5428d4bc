import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { onStage } from "./Child.ts"
import { cpuOf, cpuOfThreads, peakOf } from "./Cpu.ts"
import { countingDatabase } from "./Database.ts"
import { apnsCredential, startMailer } from "./mailing/Mailer.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"

/*
 * Where the time goes in a mailing to iOS devices: the self time of a CPU profile of the engine's processes by step, by
 * function and by file, over several mailings, so that compiling weighs little; what PostgreSQL executed, and what it
 * wrote. Steps are shares of the profile, in which a sample counts for no more than twice its interval (what is beyond is
 * time in which others had the core), of the CPU that the kernel charged to
 * the main threads.
 *
 *   node bench/profile.ts [--devices 100000] [--mailings 3] [--processes 1] [--rows 45]
 */

const argument = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}
const devices = argument("devices", 100_000)
const mailings = argument("mailings", 3)
const recipients = devices * mailings

const INTERVAL_US = 500

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: Frame
    readonly children?: ReadonlyArray<number>
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const root = new URL("..", import.meta.url)

/** Whose frame decides what a sample belongs to: the innermost that is named here. */
const STEPS: ReadonlyArray<readonly [string, RegExp]> = [
  ["HTTP/2", /\/layers\/http2\//],
  ["compose", /\/layers\/apns\/|\/sending\/Rendering|\/domain\/sending\//],
  ["read targets", /\/layers\/postgres\/audience\/audienceTargets/],
  ["plan", /\/layers\/postgres\/audience\/|\/sending\/(Planner|Reach|Timing|planNotification|NotificationStore)/],
  ["claim, results", /\/sending\/(ChunkWriter|Results|Saving|finish|packedResults|resultParts|BatchStore|deliver)/],
  ["lanes, batches", /\/services\/engine\//],
  ["PostgreSQL's client", /\/@effect\/sql-pg\/|\/layers\/postgres\//],
  ["Effect's runtime", /\/node_modules\/effect\//]
]
/** Writing to a socket, under the frame of the one that writes. */
const SOCKET = /^node:(net|_tls_wrap|internal\/(stream_base_commons|streams|tls|js_stream_socket))/

const stepOf = (frames: ReadonlyArray<Frame>): string => {
  const [leaf] = frames
  if (leaf!.functionName === "(garbage collector)") return "garbage collection"
  let isSocket = false
  for (const { url } of frames) {
    const step = STEPS.find(([, place]) => place.test(url))?.[0]
    if (step === "HTTP/2" && isSocket) return "encrypt and write (TLS)"
    if (step !== undefined) return isSocket && step === "PostgreSQL's client" ? `${step}: socket` : step
    isSocket ||= SOCKET.test(url)
  }
  return leaf!.functionName === "(program)" ? "native code (decryption, sockets)" : "rest"
}

const add = (costs: Map<string, number>, name: string, us: number) => costs.set(name, (costs.get(name) ?? 0) + us)
const print = (title: string, costs: Map<string, number>, rows: number) => {
  const all = [...costs.values()].reduce((sum, us) => sum + us, 0)
  say(`\n${title}: µs a recipient, share`)
  for (const [name, us] of [...costs].toSorted((a, b) => b[1] - a[1]).slice(0, rows)) {
    say(`${(us / recipients).toFixed(2).padStart(7)} ${((100 * us) / all).toFixed(1).padStart(5)}%  ${name}`)
  }
}

await onStage(async (stage) => {
  const folder = stage.folder()
  const at = await identity(stage)
  const sink = await leanSink(stage, at)
  const database = await countingDatabase(stage)
  process.env["ENGINE_FLAGS"] = `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=${INTERVAL_US}`
  const settings = { DATA_DIR: database.dataDir, PROCESSES: String(argument("processes", 1)) }
  const mailer = await startMailer(stage, { caFile: at.ca, settings })
  const { engine } = mailer
  await engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
  await mailer.register(devices)
  // So that what registering leaves to be written later is not the mailings'.
  await database.ask("CHECKPOINT")
  const written = async () =>
    (
      await database.ask<{ readonly wal: number; readonly disk: number }>(
        "SELECT pg_current_wal_lsn() - '0/0' AS wal, pg_database_size(current_database())::float8 AS disk"
      )
    )[0]!
  const engines = [engine.process.pid!]
  const cpu = () => ({ engine: cpuOf(engines), ...cpuOfThreads(engines), PostgreSQL: cpuOf([database.pid]) })
  const before = { ...(await written()), ...cpu() }
  await database.forget()
  const from = performance.now()
  let [last, spans] = [cpu(), [] as Array<string>]
  for (let n = 0; n < mailings; n++) {
    const { counts, seconds } = await mailer.mail()
    const now = cpu()
    const each = (who: "engine" | "PostgreSQL") => ((now[who] - last[who]) / counts.sent).toFixed(1)
    spans.push(
      `${(counts.sent / seconds).toFixed(0)}/s, CPU µs each: engine ${each("engine")}, PostgreSQL ${each("PostgreSQL")}, peak ${peakOf(engines[0]!).toFixed(0)} MB`
    )
    last = now
  }
  const tookUs = (performance.now() - from) * 1000
  const executed = await database.executed()
  const after = { ...(await written()), ...last }
  await engine.close()

  const [steps, functions, files] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"))) {
    const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as Profile
    const frames = new Map(profile.nodes.map(({ callFrame, id }) => [id, callFrame]))
    const parents = new Map(profile.nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id])))
    const stacks = new Map<number, string>()
    const stepAt = (id: number): string => {
      const stack: Array<Frame> = []
      for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.push(frames.get(at)!)
      return stepOf(stack)
    }
    // The profile covers the process's life. Only the mailings: the last `tookUs` of it, up to the stop.
    const total = profile.timeDeltas.reduce((sum, delta) => sum + delta, 0)
    let elapsed = 0
    for (const [index, id] of profile.samples.entries()) {
      const delta = profile.timeDeltas[index]!
      elapsed += delta
      const { functionName, lineNumber, url } = frames.get(id)!
      if (elapsed < total - tookUs || functionName === "(idle)") continue
      const us = Math.min(delta, 2 * INTERVAL_US)
      const place = url.startsWith("file:") ? relative(root.pathname, new URL(url).pathname) : url || "(engine)"
      add(functions, `${functionName || "(anonymous)"} ${place}:${lineNumber + 1}`, us)
      const library = /^node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(place)?.[0]
      add(files, place === "(engine)" ? functionName : (library ?? place), us)
      if (!stacks.has(id)) stacks.set(id, stepAt(id))
      add(steps, stacks.get(id)!, us)
    }
  }
  for (const span of spans) say(span)
  const charged = (who: "main" | "v8" | "PostgreSQL") => after[who] - before[who]
  const sampled = [...steps.values()].reduce((sum, us) => sum + us, 0)
  const scale = charged("main") / sampled
  for (const [step, us] of steps) steps.set(step, us * scale)
  steps.set("V8's threads (collection, compiling)", charged("v8"))
  steps.set("PostgreSQL", charged("PostgreSQL"))
  print("By step", steps, 30)
  print(
    "What PostgreSQL executed, as long as it took",
    new Map(executed.map((e) => [e.text.slice(0, 120), e.calls * e.us])),
    15
  )
  say(
    `\nWritten, bytes a recipient: log ${((after.wal - before.wal) / recipients).toFixed(0)}, disk ${((after.disk - before.disk) / recipients).toFixed(0)}`
  )
  print("By function, self", functions, argument("rows", 45))
  print("By file or package, self", files, 30)
})
