import type { Stage } from "./Child.ts"
import { onStage } from "./Child.ts"
import type { Benchmark, Contender } from "./Harness.ts"
import { measure, totalCpu } from "./Harness.ts"
import type { Counting } from "./mailing/Mailer.ts"
import { mailingTurn, processesOf, startMailer } from "./mailing/Mailer.ts"
import type { SendAnswer } from "./mailing/NodeApn.ts"
import { MAIL, NEWS_FROM } from "./mails/Mail.ts"
import { smtpSink } from "./sinks/Sinks.ts"

/*
 * One mailing of e-mails, from the request to reconciled totals, against nodemailer's pool that sends the same from
 * memory without any totals, with its default of connections and with as many as the engine takes.
 *
 *   npm run bench -- mails [--recipients 20000] [--rounds 5] [--processes 2]
 */

/** nodemailer's own default, and what the engine opens while a server answers quickly. */
const POOLS = [5, 8]
const NODEMAILER_SHARE = 0.4
const nameOf = (connections: number) => `nodemailer, pool of ${connections}, no record`

const nodemailer = async (stage: Stage, sink: Counting, connections: number, count: number): Promise<Contender> => {
  const { ask, pid } = await stage.servant<{ readonly count: number }, SendAnswer>(
    new URL("mails/Nodemailer.ts", import.meta.url),
    [String(sink.port), String(connections)]
  )
  return {
    name: nameOf(connections),
    processes: { engine: () => [pid], sink: () => [sink.pid] },
    turn: async () => {
      await sink.ask({ reset: true })
      const { seconds } = await ask({ count })
      const { requests } = await sink.ask({ reset: true })
      if (requests !== count) throw new Error(`The sink took ${requests} mails of ${count}`)
      return { operations: count, seconds }
    }
  }
}

export const benchmark: Benchmark = {
  name: "mails",
  about: "end to end: one mailing of e-mails, every one accounted for, against a pool that keeps no totals",
  run: ({ flags, short }) =>
    onStage(async (stage) => {
      const recipients = Number(flags.get("recipients") ?? (short ? 3000 : 20_000))
      const settings: Record<string, string> = flags.has("processes") ? { PROCESSES: flags.get("processes")! } : {}
      const sink = await smtpSink(stage)
      const mailer = await startMailer(stage, { settings, content: MAIL })
      const url = `smtp://127.0.0.1:${sink.port}`
      await mailer.engine.call("PUT", "/api/v1/credentials/smtp", { url, from: NEWS_FROM })
      await mailer.register(
        recipients,
        (n) => ({ email: `user-${n}@example.com`, external_id: `user-${n}` }),
        "contacts"
      )
      const few = Math.ceil(recipients * NODEMAILER_SHARE)
      const pools: Array<Contender> = []
      for (const connections of POOLS) pools.push(await nodemailer(stage, sink, connections, few))
      const table = await measure({
        title: `A mailing of ${recipients.toLocaleString("en-US")} e-mails, to reconciled totals`,
        what: "mails",
        base: nameOf(POOLS[0]!),
        rounds: Number(flags.get("rounds") ?? (short ? 2 : 5)),
        contenders: [
          {
            name: "heliograph",
            processes: processesOf(mailer, [sink.pid]),
            turn: () => mailingTurn(mailer, sink)
          },
          ...pools
        ]
      })
      const [own, ...others] = table.rows
      const facts: Record<string, number> = {}
      for (const row of others) facts[`rate over ${row.name} (at least 2)`] = own!.rateRatio / row.rateRatio
      facts["CPU µs a mail over all processes"] = totalCpu(own!.cpu)
      return { name: "mails", tables: [table], facts }
    })
}
