import { createHash } from "node:crypto"
import { once } from "node:events"
import { chmodSync, createReadStream, createWriteStream, readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { finished } from "node:stream/promises"
import { Client } from "pg"
import { uuidv7 } from "../services/ports/NewId.ts"
import type { Registration } from "../simulators/Audience.ts"
import { Audience } from "../simulators/Audience.ts"
import { onStage } from "./Child.ts"
import { forgetPeak, peakOf } from "./Cpu.ts"
import type { Benchmark } from "./Harness.ts"
import { measure, say } from "./Harness.ts"
import { COLUMNS, UPSERT } from "./import/Statements.ts"
import { startEngine } from "./ingress/Engine.ts"

/*
 * An import of devices over REST, from the first byte sent to the last line answered, by one engine process with its own
 * PostgreSQL (fsync on); beside what PostgreSQL alone takes to write the same rows into the same table: by the same kind
 * of upsert from arrays that are ready, a thousand rows a statement, and by COPY of a file, which refreshes nothing.
 *
 *   npm run bench -- import [--rounds 3] [--devices 100000] [--million 1000000]
 *
 * Afterwards one large import, for the engine's memory. Left out: TLS, networks, and whoever else writes meanwhile.
 */

const CHUNK = 1000
const audience = new Audience({
  seed: "import",
  webPushOrigin: "https://example.com",
  mix: { ios: 5, android: 5, web: 0 }
})

const hashOf = (device: Registration): string => createHash("sha256").update(device.token).digest("hex").slice(0, 32)

/** A device as the columns of `UPSERT`, as text. */
const rowOf = (app: string, device: Registration): ReadonlyArray<string> => [
  app,
  uuidv7(),
  `\\x${hashOf(device)}`,
  device.platform,
  device.environment,
  device.token,
  device.user_id,
  device.timezone,
  `{${device.tags.join(",")}}`,
  JSON.stringify(device.metadata)
]

const write = async (path: string, lines: Iterable<string>): Promise<void> => {
  const file = createWriteStream(path)
  for (const line of lines) if (!file.write(line)) await once(file, "drain")
  file.end()
  await finished(file)
  chmodSync(path, 0o644)
}

const CREATED = Buffer.from('"created":true')

/** Sends a file of lines, and answers how many were stored. */
const send = async (port: number, authorization: string, path: string): Promise<number> => {
  const call = request({
    port,
    method: "POST",
    path: "/api/v1/devices/import",
    headers: { authorization, "content-type": "application/x-ndjson" }
  })
  const answered = once(call, "response")
  createReadStream(path, { highWaterMark: 262_144 }).pipe(call)
  const [response] = (await answered) as [AsyncIterable<Buffer>]
  let stored = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of response) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(10) + 1
    for (let at = bytes.indexOf(CREATED); at !== -1 && at < end; at = bytes.indexOf(CREATED, at + 1)) stored++
    rest = Buffer.from(bytes.subarray(end))
  }
  return stored
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

export const benchmark: Benchmark = {
  name: "import",
  about: "an import of devices over REST, against PostgreSQL alone",
  run: ({ flags, short }) =>
    onStage(async (stage) => {
      const rounds = Number(flags.get("rounds") ?? (short ? 1 : 3))
      const count = Number(flags.get("devices") ?? (short ? 20_000 : 100_000))
      const large = Number(flags.get("million") ?? (short ? 100_000 : 1_000_000))
      const folder = stage.folder()
      chmodSync(folder, 0o755)
      const engine = await startEngine({ ROLES: "api", PROCESSES: "1" })
      stage.onClose(engine.close)
      const access = JSON.parse(readFileSync(join(engine.dataDir, "postgres.json"), "utf8"))
      const database = new Client({ ...access, host: "127.0.0.1", user: "heliograph", database: "heliograph" })
      await database.connect()
      stage.onClose(() => database.end())
      const app = uuidv7()

      // Everybody's devices of every round are others: a device that is there is refreshed, which is another work.
      let from = 0
      const next = () => from++ * count
      const all = rounds + 1
      const rowsOf = (begin: number) => Array.from({ length: count }, (_, i) => rowOf(app, audience.device(begin + i)))
      const copies: Array<string> = []
      const files: Array<string> = []
      const arrays: Array<ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>> = []
      for (let round = 0; round < all; round++) {
        copies.push(join(folder, `rows-${round}`))
        await write(
          copies[round]!,
          rowsOf(next()).map((row) => `${row.join("\t").replaceAll("\\x", "\\\\x")}\n`)
        )
        const rows = rowsOf(next())
        arrays.push(
          Array.from({ length: Math.ceil(count / CHUNK) }, (_, i) => {
            const some = rows.slice(i * CHUNK, (i + 1) * CHUNK)
            return some[0]!.map((_, column) => some.map((row) => row[column]!))
          })
        )
        files.push(join(folder, `lines-${round}`))
        await write(files[round]!, audience.lines(count, next()))
      }
      const take = <A>(of: Array<A>): A => of.shift()!

      const postgres = () => [engine.postmaster]
      const table = await measure({
        title: `${count} new devices`,
        what: "devices",
        base: "upsert of ready arrays",
        rounds,
        contenders: [
          {
            name: "COPY of a file",
            processes: { PostgreSQL: postgres },
            turn: async () => {
              const path = take(copies)
              return {
                operations: count,
                seconds: await seconds(() => database.query(`COPY devices (${COLUMNS}) FROM '${path}'`))
              }
            }
          },
          {
            name: "upsert of ready arrays",
            processes: { PostgreSQL: postgres, load: () => [process.pid] },
            turn: async () => {
              const chunks = take(arrays)
              return {
                operations: count,
                seconds: await seconds(async () => {
                  for (const values of chunks)
                    await database.query({ name: "upsert", text: UPSERT, values: [...values] })
                })
              }
            }
          },
          {
            name: "import over REST",
            processes: { engine: () => [engine.process.pid!], PostgreSQL: postgres, load: () => [process.pid] },
            turn: async () => {
              const path = take(files)
              let stored = 0
              const taken = await seconds(
                async () => void (stored = await send(engine.port, engine.authorization, path))
              )
              if (stored !== count) throw new Error(`Of ${count} devices ${stored} were stored`)
              return { operations: count, seconds: taken }
            }
          }
        ]
      })

      say(`one import of ${large}`)
      const path = join(folder, "many")
      await write(path, audience.lines(large, from * count))
      forgetPeak(engine.process.pid!)
      let stored = 0
      const taken = await seconds(async () => void (stored = await send(engine.port, engine.authorization, path)))
      if (stored !== large) throw new Error(`Of ${large} devices ${stored} were stored`)
      const [, , own] = table.rows
      return {
        name: "import",
        tables: [table],
        facts: {
          "rate over that of PostgreSQL's upsert alone": own!.rateRatio,
          [`one import of ${large}, seconds`]: taken,
          [`one import of ${large}, devices a second`]: large / taken,
          [`one import of ${large}, largest memory of the engine, MB`]: peakOf(engine.process.pid!)
        }
      }
    })
}
