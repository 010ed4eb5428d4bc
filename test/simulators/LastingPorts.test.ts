import { Effect } from "effect"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { expect, it } from "vitest"
import * as DemoProcesses from "../../src/demo/DemoProcesses.ts"
import { lastingPorts } from "../../simulators/LastingPorts.ts"
import * as Tests from "../Ports.ts"

/** Linux says so itself; elsewhere they begin at 49,152. */
const RANGE = "/proc/sys/net/ipv4/ip_local_port_range"
const firstOutgoing = existsSync(RANGE) ? Number(readFileSync(RANGE, "utf8").split(/\s+/)[0]) : 49_152

it("gives each port once, but for those at which somebody listens, and says when there is none left", async () => {
  const port = await Effect.runPromise(Tests.lastingPort)
  const taken = createServer().listen(port, "127.0.0.1")
  await once(taken, "listening")
  await expect(lastingPorts(port, 1)()).rejects.toThrow(`All ports of 127.0.0.1 from ${port} to ${port} are taken.`)
  taken.close()
  await once(taken, "close")
  expect(await lastingPorts(port, 1)()).toBe(port)

  const next = lastingPorts(19_000, 100)
  const given = new Set<number>()
  for (let count = 0; count < 50; count++) given.add(await next())
  expect(given.size).toBe(50)
})

it("gives the demo's engines and the tests' servers no port that an outgoing connection may have", async () => {
  for (const port of [DemoProcesses.lastingPort, Tests.lastingPort]) {
    expect(await Effect.runPromise(port)).toBeLessThan(firstOutgoing)
  }
})
