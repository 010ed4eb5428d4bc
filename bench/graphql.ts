import { linesOf, onStage } from "./Child.ts"
import type { Order, Outcome } from "./graphql/Load.ts"
import type { Benchmark, Contender, Table } from "./Harness.ts"
import { measure } from "./Harness.ts"
import { startEngine } from "./ingress/Engine.ts"

/*
 * GraphQL: pages of a hundred contacts, and webhooks created and deleted again, by one engine process with its own
 * PostgreSQL (fsync on); beside graphql-yoga on node:http with resolvers that do no work.
 *
 *   npm run bench -- graphql [--rounds 5] [--seconds 4] [--connections 16]
 *
 * Load generator and database share the machine. Left out: TLS, and networks.
 */

const here = (path: string) => new URL(path, import.meta.url).pathname

export const benchmark: Benchmark = {
  name: "graphql",
  about: "pages of contacts and webhooks by GraphQL, against a graphql-yoga that does no work",
  run: ({ flags, short }) =>
    onStage(async (stage) => {
      const rounds = Number(flags.get("rounds") ?? (short ? 2 : 5))
      const ms = Number(flags.get("seconds") ?? (short ? 1.5 : 4)) * 1000
      // An application has twenty webhooks at most.
      const connections = Math.min(16, Number(flags.get("connections") ?? 16))

      const { child: load } = stage.spawn(process.execPath, [here("graphql/Load.ts")], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const results = linesOf(load)
      const ask = async (order: Order): Promise<Outcome> => {
        load.stdin!.write(`${JSON.stringify(order)}\n`)
        const line = await results.next()
        if (line.done === true) throw new Error("The load generator has ended")
        return JSON.parse(line.value) as Outcome
      }

      const { child: peer } = stage.spawn(process.execPath, [here("graphql/Peer.ts")], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const { port } = JSON.parse((await linesOf(peer).next()).value as string) as { readonly port: number }
      const engine = await startEngine({ ROLES: "api", PROCESSES: "1", RATE_LIMIT_SECRET: "60000000/60" })
      stage.onClose(engine.close)
      const contacts = Array.from({ length: 1000 }, (_, i) => ({
        external_id: `user-${i}`,
        email: `user-${i}@example.com`,
        tags: ["news", "beta"],
        locale: "en-GB"
      }))
      await engine.call("POST", "/api/v1/contacts/bulk", { contacts })
      const application = await fetch(`${engine.url}/api/v1/application`, {
        headers: { authorization: engine.authorization }
      })
      const { id: appId } = (await application.json()) as { readonly id: string }

      interface Server {
        readonly name: string
        readonly port: number
        readonly processes: Contender["processes"]
        /** Asks for the same by another way. */
        readonly what?: Order["what"]
      }
      const bare: Server = { name: "graphql-yoga", port, processes: { server: () => [peer.pid!] } }
      const ours: Server = {
        name: "heliograph",
        port: engine.port,
        processes: { server: () => [engine.process.pid!], PostgreSQL: () => [engine.postmaster] }
      }
      const table = (title: string, what: Order["what"], servers: ReadonlyArray<Server>): Promise<Table> =>
        measure({
          title: `${title}, ${connections} connections`,
          what: "requests",
          base: "graphql-yoga",
          rounds,
          contenders: servers.map((server) => ({
            name: server.name,
            processes: { ...server.processes, load: () => [load.pid!] },
            turn: async () => {
              const { authorization } = engine
              const outcome = await ask({
                authorization,
                appId,
                connections,
                what: server.what ?? what,
                port: server.port,
                ms
              })
              if (outcome.firstRefusal !== null) throw new Error(`${server.name} refused: ${outcome.firstRefusal}`)
              const { answered, p50, p99, seconds } = outcome
              return { operations: answered, seconds, more: { "p50 ms": p50, "p99 ms": p99 } }
            }
          }))
        })
      const tables = [
        await table("contacts(appId), 100 a page", "contacts", [
          bare,
          { ...ours, name: "heliograph by REST", what: "list" },
          ours
        ]),
        await table("createHook and deleteHook in turns", "hooks", [bare, ours])
      ]
      const [reading, writing] = tables.map(({ rows }) => rows.find(({ name }) => name === "heliograph")!)
      const [rest] = tables.map(({ rows }) => rows.find(({ name }) => name === "heliograph by REST")!)
      return {
        name: "graphql",
        tables,
        facts: {
          "contacts: rate over graphql-yoga doing no work": reading!.rateRatio,
          "contacts: CPU of the server over that of the same page by REST":
            reading!.cpu["server"]! / rest!.cpu["server"]!,
          "createHook: rate over graphql-yoga doing no work": writing!.rateRatio
        }
      }
    })
}
