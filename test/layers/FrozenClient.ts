import { Effect, Scope } from "effect"
import { readFileSync } from "node:fs"
import { SmtpPool } from "../../layers/mail/SmtpPool.ts"
import { layer as own } from "../../layers/http2/OwnHttp2Client.ts"
import { layer as wrapper } from "../../layers/http2/WrapperHttp2Client.ts"
import { http1Pool } from "../../layers/webpush/Http1.ts"
import { makeBatch, openSender, Results } from "./http2/Sending.ts"
import { HEADERS, make } from "./webhook/Senders.ts"

/*
 * A client as a process of its own, to be frozen: sends requests to a loopback port, and says how many were answered and
 * what became of the others. Arguments: which client, the port, how many requests, their time in milliseconds, and the
 * file of the authority that it trusts.
 */

const [kind, ...rest] = process.argv.slice(2)
const [port, count, timeoutMs] = rest.slice(0, 3).map(Number) as [number, number, number]
const caFile = rest[3]!

interface Told {
  readonly answered: number
  readonly failed: ReadonlyArray<string>
}

const toldOf = (results: Results): Told => ({
  answered: results.answers.size,
  failed: [...results.failures.values()].map(({ message }) => message)
})

const clients: Readonly<Record<string, () => Promise<Told>>> = {
  own: () => overHttp2(own),
  wrapper: () => overHttp2(wrapper),
  http1: async () => {
    const origin = { host: "localhost", port, address: "127.0.0.1" }
    const pool = http1Pool(origin, { ca: readFileSync(caFile, "utf8") }, timeoutMs)
    const results = new Results()
    const scope = Effect.runSync(Scope.make())
    await Effect.runPromise(
      Effect.flatMap(Effect.provideService(pool, Scope.Scope, scope), ({ send }) => send(makeBatch(results, count)))
    )
    return toldOf(results)
  },
  webhook: () =>
    Effect.gen(function* () {
      const sender = yield* (yield* make()).open(count)
      const post = sender.post(`http://127.0.0.1:${port}/`, HEADERS, "{}", timeoutMs)
      const answers = yield* Effect.all(
        Array.from({ length: count }, () => post),
        { concurrency: "unbounded" }
      )
      const failed = answers.flatMap((answer) => (answer._tag === "NoAnswer" ? [answer.reason] : []))
      return { answered: count - failed.length, failed }
    }).pipe(Effect.scoped, Effect.runPromise),
  smtp: () =>
    new Promise((resolve) => {
      const server = { host: "127.0.0.1", port, secure: false, auth: null, name: "frozen.example.com", tls: {} }
      const failed: Array<string> = []
      let answered = 0
      new SmtpPool(server, "127.0.0.1", timeoutMs).submit({
        count,
        from: "news@example.com",
        to: () => "ann@example.com",
        write: () => Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
        onSent: () => void answered++,
        onFailure: (_, { message }, stage) => void failed.push(`${stage}: ${message}`),
        onWithheld: () => {},
        onEnd: () => resolve({ answered, failed })
      })
    })
}

const overHttp2 = async (layer: typeof own): Promise<Told> => {
  // Asked by PING too, whose answer waits as well.
  const options = { requestTimeoutMs: timeoutMs, pingAfterMs: timeoutMs / 2 }
  const sender = await openSender(layer, port, options, { OUTBOUND_CA_FILE: caFile })
  return toldOf(await sender.send(count))
}

const told = await clients[kind!]!()
process.send!(told, () => process.exit())
