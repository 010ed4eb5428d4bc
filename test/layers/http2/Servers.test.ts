import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as own from "../../../layers/http2/OwnHttp2Client.ts"
import * as wrapper from "../../../layers/http2/WrapperHttp2Client.ts"
import { type OtherServer, type ServerName, startOtherServer } from "./OtherServers.ts"
import { openSender } from "./Sending.ts"

/** Conversations with servers that others wrote. Node's own stands in the contract suite. */
const LAYERS = [
  ["own", own.layer],
  ["http2-wrapper", wrapper.layer]
] as const

const running = (name: ServerName): (() => OtherServer) => {
  let server: OtherServer
  beforeAll(async () => {
    server = await startOtherServer(name)
  }, 300_000)
  afterAll(() => server.close())
  return () => server
}

describe.each(["apache", "h2o", "caddy", "haproxy", "lighttpd", "hitch"] as const)("%s", (name) => {
  const server = running(name)

  it.each(LAYERS)(
    "gives each of many requests its own answer over one connection after the other (%s)",
    async (_, layer) => {
      const sender = await openSender(layer, server().port, { connections: 2 })
      const body = (index: number) => `${index} `.repeat((index * 7) % 300)
      const { answers, failures } = await sender.send(1500, { body })
      expect(failures).toEqual(new Map())
      for (const [index, answer] of answers) {
        expect([answer.status, answer.header("x-path"), answer.header("x-index"), answer.body]).toEqual([
          200,
          `/device/${index}`,
          String(index),
          body(index)
        ])
      }
      const { answers: gone } = await sender.send(3, { path: () => "/gone" })
      expect([...gone.values()].map((answer) => `${answer.status} ${answer.body}`)).toEqual([
        "410 gone",
        "410 gone",
        "410 gone"
      ])
      await sender.close()
    }
  )

  it.each(LAYERS)("takes and gives large bodies (%s)", async (_, layer) => {
    const sender = await openSender(layer, server().port, { maxBody: 1_000_000 })
    const body = (index: number) => `${index} `.repeat(100_000)
    const { answers, failures } = await sender.send(5, { body })
    expect(failures).toEqual(new Map())
    expect([...answers].map(([index, answer]) => answer.body === body(index))).toEqual([true, true, true, true, true])
    await sender.close()
  })
})

describe("nghttpd", () => {
  const server = running("nghttpd")

  it.each(LAYERS)("takes bodies and gives each of them back (%s)", async (_, layer) => {
    const sender = await openSender(layer, server().port)
    const body = (index: number) => `${index} `.repeat((index * 7) % 900)
    const { answers } = await sender.send(1500, { body })
    expect(answers.size).toBe(1500)
    for (const [index, answer] of answers) expect([answer.status, answer.body]).toEqual([200, body(index)])
    await sender.close()
  })

  it.each(LAYERS)("lets large bodies through its windows, both ways (%s)", async (_, layer) => {
    const sender = await openSender(layer, server().port, { maxBody: 1_000_000 })
    const body = (index: number) => `${index} `.repeat(100_000)
    const { answers } = await sender.send(5, { body })
    expect([...answers].map(([index, answer]) => answer.body === body(index))).toEqual([true, true, true, true, true])
    await sender.close()
  })
})

describe("nginx", () => {
  const server = running("nginx")

  it.each(LAYERS)(
    "gives each request its own answer, through the GOAWAYs after every hundred requests (%s)",
    async (_, layer) => {
      const sender = await openSender(layer, server().port, { connections: 2 })
      const { answers, failures } = await sender.send(1000)
      expect(failures).toEqual(new Map())
      for (const [index, answer] of answers) {
        expect([answer.status, answer.header("x-path"), answer.body]).toEqual([
          200,
          `/device/${index}`,
          `path /device/${index} agent ${index}`
        ])
      }
      const { answers: gone } = await sender.send(3, { path: () => "/gone" })
      expect([...gone.values()].map((answer) => `${answer.status} ${answer.body}`)).toEqual([
        "410 gone",
        "410 gone",
        "410 gone"
      ])
      await sender.close()
    }
  )
})
