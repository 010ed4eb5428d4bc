import { linesOf, onStage } from "./Child.ts"
import type { Benchmark, Contender, Table } from "./Harness.ts"
import { measure } from "./Harness.ts"
import { registerDevices, startEngine } from "./ingress/Engine.ts"
import type { Order } from "./ingress/Load.ts"
import { startLoad } from "./ingress/LoadProcess.ts"

/*
 * Ingress: registering one device and accepting one notification, each answered after its commit, by one engine process
 * with its own PostgreSQL (fsync on); beside node:http and fastify that parse the same bodies and do nothing.
 *
 *   npm run bench -- ingress [--rounds 5] [--seconds 4] [--connections 64]
 *
 * Load generator and database share the machine. Left out: TLS, sending (the engine has the role `api`
 * only), and networks. `ENGINE_FLAGS` of the environment go to the engine's node, for profiles.
 */

const here = (path: string) => new URL(path, import.meta.url).pathname

export const benchmark: Benchmark = {
  name: "ingress",
  about: "registering a device and accepting a notification, against servers that do no work",
  run: ({ flags, short }) =>
    onStage(async (stage) => {
      const rounds = Number(flags.get("rounds") ?? (short ? 2 : 5))
      const ms = Number(flags.get("seconds") ?? (short ? 1.5 : 4)) * 1000
      const connections = Number(flags.get("connections") ?? 64)

      const load = startLoad(stage)
      const servers: Array<{ readonly name: string; readonly port: number; readonly pids: Contender["processes"] }> = []
      for (const name of ["node:http", "fastify"]) {
        const { child } = stage.spawn(process.execPath, [here("ingress/Peer.ts"), name], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        const { port } = JSON.parse((await linesOf(child).next()).value as string) as { readonly port: number }
        servers.push({ name, port, pids: { server: () => [child.pid!] } })
      }
      const engine = await startEngine({ ROLES: "api", PROCESSES: "1", RATE_LIMIT_SECRET: "60000000/60" })
      stage.onClose(engine.close)
      const { authorization, port, postmaster } = engine
      servers.push({
        name: "heliograph",
        port,
        pids: { server: () => [engine.process.pid!], PostgreSQL: () => [postmaster] }
      })
      const devices = await registerDevices(engine, 1000)

      const table = (title: string, path: string, ids: Order["devices"]): Promise<Table> =>
        measure({
          title: `${title}, ${connections} connections`,
          what: "requests",
          base: "fastify",
          rounds,
          contenders: servers.map((server) => ({
            name: server.name,
            processes: { ...server.pids, load: () => [load.pid] },
            turn: async () => {
              const order = { authorization, connections, path, devices: ids, port: server.port, ms }
              const outcome = await load.ask({ ...order, priority: "high" })
              if (outcome.refused > 0) throw new Error(`${server.name} refused: ${outcome.firstRefusal}`)
              const { answered, p50, p99, seconds } = outcome
              return { operations: answered, seconds, more: { "p50 ms": p50, "p99 ms": p99 } }
            }
          }))
        })
      const tables = [
        await table("Registering a device", "/api/v1/public/devices", null),
        await table("Accepting a notification", "/api/v1/notifications", devices)
      ]
      const order = { authorization, connections: 1, path: "/api/v1/notifications", devices, port, ms: 1500 }
      const one = await load.ask(order)
      const [registering, accepting] = tables.map(({ rows }) => rows.at(-1)!.rateRatio)
      return {
        name: "ingress",
        tables,
        facts: {
          "registering: rate over fastify doing no work (at least 0.5)": registering!,
          "accepting: rate over fastify doing no work (at least 0.5)": accepting!,
          "accepting over one connection, p50 ms": one.p50,
          "accepting over one connection, p99 ms": one.p99
        }
      }
    })
}
