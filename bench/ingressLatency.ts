import { Agent, request } from "node:http"
import { startFleet } from "../simulators/Fleet.ts"
import { registerDevices, startEngine } from "./ingress/Engine.ts"

/*
 * How long a single message takes from its request to the provider, when nothing else goes on: high priority, one device
 * named by its id, one request at a time over a kept connection; the clock stops when the APNs simulator has accepted it.
 *
 *   node bench/ingressLatency.ts [--messages 300]
 */

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const at = process.argv.indexOf("--messages")
const MESSAGES = at === -1 ? 300 : Number(process.argv[at + 1])
const DEVICES = 10

const fleet = await startFleet()
const { credentials, settings } = fleet.description
const engine = await startEngine({ ...settings, ...(JSON.parse(process.env["ENGINE_ENV"] ?? "{}") as object) })
try {
  await engine.call("PUT", "/api/v1/credentials/apns", credentials.apns)
  const devices = await registerDevices(engine, DEVICES)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (i: number) =>
    new Promise<{ readonly answeredMs: number; readonly arrivedMs: number }>((resolve, reject) => {
      const before = fleet.apns.stats().accepted
      const body = JSON.stringify({
        to: { device_ids: [devices[i % DEVICES]] },
        content: { title: `Message ${i}` },
        priority: "high"
      })
      const startedAt = performance.now()
      let answeredMs = 0
      const outgoing = request(
        `${engine.url}/api/v1/notifications`,
        {
          agent,
          method: "POST",
          headers: {
            authorization: engine.authorization,
            "content-type": "application/json",
            "content-length": body.length
          }
        },
        (response) => {
          answeredMs = performance.now() - startedAt
          if (response.statusCode !== 202) reject(new Error(`answered ${response.statusCode}`))
          response.resume()
        }
      )
      outgoing.on("error", reject)
      outgoing.end(body)
      const look = (): void => {
        const elapsed = performance.now() - startedAt
        if (fleet.apns.stats().accepted > before && answeredMs > 0) return resolve({ answeredMs, arrivedMs: elapsed })
        if (elapsed > 30_000) return reject(new Error("it did not arrive within 30 s"))
        setImmediate(look)
      }
      look()
    })
  const answered: Array<number> = []
  const arrived: Array<number> = []
  // The first ones open connections and warm caches.
  for (let i = 0; i < 20; i++) await send(i)
  for (let i = 0; i < MESSAGES; i++) {
    const { answeredMs, arrivedMs } = await send(i)
    answered.push(answeredMs)
    arrived.push(arrivedMs)
  }
  agent.destroy()
  const share = (values: Array<number>, part: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!.toFixed(2)
  print(`request to answer:   p50 ${share(answered, 0.5)} ms, p99 ${share(answered, 0.99)} ms`)
  print(`request to provider: p50 ${share(arrived, 0.5)} ms, p99 ${share(arrived, 0.99)} ms`)
} finally {
  await engine.close()
  await fleet.close()
}
