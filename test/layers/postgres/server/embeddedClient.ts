import { Effect } from "effect"
import { once } from "node:events"
import { embeddedServer } from "../../../../layers/postgres/server/EmbeddedServer.ts"

/** A process of its own that uses the server of a data directory: prints its URL, and leaves when its input ends. */
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { url } = yield* embeddedServer(process.argv[2]!, { durable: false })
      process.stdout.write(`${url}\n`)
      process.stdin.resume()
      yield* Effect.promise(() => once(process.stdin, "end"))
    })
  )
)
