import { onStage } from "./Child.ts"
import type { Benchmark, Contender, Row, Table, Turn } from "./Harness.ts"
import { measure, totalCpu } from "./Harness.ts"
import { apnsCredential, mailingTurn, processesOf, startMailer } from "./mailing/Mailer.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"

/*
 * Whether the cost of a recipient stays the same as the audience grows, and what more processes of a node bring. Each
 * size and each number of processes is an engine of its own with its own database; a turn is one mailing to all its
 * devices, or several to a small audience, so that turns last about as long.
 *
 *   npm run bench -- scaling [--sizes 10000,100000,1000000] [--processes 1,2] [--devices 100000] [--rounds 5]
 */

const numbers = (text: string): ReadonlyArray<number> => text.split(",").map(Number)
const shown = (size: number): string => `${size.toLocaleString("en-US")} devices`

const table = (
  title: string,
  rounds: number,
  engines: ReadonlyArray<{
    readonly name: string
    readonly devices: number
    readonly settings: Record<string, string>
  }>,
  least: number
): Promise<Table> =>
  onStage(async (stage) => {
    const at = await identity(stage)
    const sink = await leanSink(stage, at)
    const contenders: Array<Contender> = []
    for (const { devices, name, settings } of engines) {
      const mailer = await startMailer(stage, { caFile: at.ca, settings })
      await mailer.engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
      await mailer.register(devices)
      const mailings = Math.max(1, Math.ceil(least / devices))
      contenders.push({
        name,
        processes: processesOf(mailer, [sink.pid]),
        turn: async () => {
          const turns: Array<Turn> = []
          for (let n = 0; n < mailings; n++) turns.push(await mailingTurn(mailer, sink))
          const sum = (pick: (turn: Turn) => number) => turns.reduce((all, turn) => all + pick(turn), 0)
          return {
            operations: sum(({ operations }) => operations),
            seconds: sum(({ seconds }) => seconds),
            more: { "engine peak MB": Math.max(...turns.map(({ more }) => more!["engine peak MB"]!)) }
          }
        }
      })
    }
    return measure({ title, what: "messages", base: contenders[0]!.name, rounds, contenders })
  })

export const benchmark: Benchmark = {
  name: "scaling",
  about: "cost of a recipient by audience size, and by processes",
  run: async ({ flags, short }) => {
    const sizes = numbers(flags.get("sizes") ?? (short ? "3000,30000" : "10000,100000,1000000"))
    const processes = numbers(flags.get("processes") ?? "1,2")
    const devices = Number(flags.get("devices") ?? (short ? 20_000 : 100_000))
    const rounds = Number(flags.get("rounds") ?? (short ? 2 : 3))
    const bySize = await table(
      "Mailings by audience",
      rounds,
      sizes.map((size) => ({ name: shown(size), devices: size, settings: {} })),
      short ? 30_000 : 100_000
    )
    const byProcesses = await table(
      `Mailings to ${shown(devices)} by processes of the node`,
      rounds,
      processes.map((count) => ({
        name: count === 1 ? "1 process" : `${count} processes`,
        devices,
        settings: { PROCESSES: String(count) }
      })),
      devices
    )
    const cpu = (row: Row) => totalCpu(row.cpu)
    const [smallest, largest] = [bySize.rows[0]!, bySize.rows.at(-1)!]
    const most = byProcesses.rows.at(-1)!
    return {
      name: "scaling",
      tables: [bySize, byProcesses],
      facts: {
        [`CPU of a recipient at ${largest.name} over ${smallest.name} (at most 1.3)`]: cpu(largest) / cpu(smallest),
        [`engine's peak memory at ${largest.name}, MB (at most 400)`]: largest.more["engine peak MB"]!,
        [`rate of ${most.name} over 1`]: most.rateRatio
      }
    }
  }
}
