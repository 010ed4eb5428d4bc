import { Deferred, Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import { startServer } from "../TestServer.ts"

/** What one application may have read at once: half of all. */
const OF_ONE = 16
const QUERY = "query ($app: ID!) { devices(appId: $app, first: 1) { edges { node { id } } } }"
/** Of whose answer more may be read than there is room for beside 16 of 2 MB. */
const PAGES = Array.from(
  { length: 14 },
  (_, i) => `p${i}: templates(appId: $app, first: 100) { edges { node { name } } }`
)
const LARGE = `query ($app: ID!) { ${PAGES.join(" ")} }`

describe("an application that reads more at once than it is given", () => {
  it.each(["REST", "GraphQL"])(
    "has the rest read by and by, and another one is answered meanwhile: %s",
    async (protocol) => {
      const server = await startServer()
      try {
        const end = Deferred.makeUnsafe<void>()
        server.outage.before = (operation) => (operation === "DeviceStore.list" ? Deferred.await(end) : Effect.void)
        const { appId, secretKey: key } = server.ours
        const read = () =>
          protocol === "REST"
            ? server.call("GET", "/api/v1/devices?limit=1", { key })
            : server.call("POST", "/api/graphql", { key, body: { query: QUERY, variables: { app: appId } } })
        const reads = Promise.all(Array.from({ length: 40 }, read))
        await vi.waitFor(() => expect(server.outage.count("DeviceStore.list")).toBe(OF_ONE))
        for (let n = 0; n < 20; n++) {
          const answer = await server.call("GET", "/api/v1/templates", { key: server.theirs.secretKey })
          expect(answer.status).toBe(200)
        }
        expect(server.outage.count("DeviceStore.list")).toBe(OF_ONE)
        Effect.runSync(Deferred.succeed(end, undefined))
        expect((await reads).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200))
        expect(server.outage.count("DeviceStore.list")).toBe(40)
      } finally {
        await server.stop()
      }
    }
  )

  it("keeps no large query of another one waiting", async () => {
    const server = await startServer()
    try {
      const end = Deferred.makeUnsafe<void>()
      server.outage.before = (operation) => (operation === "DeviceStore.list" ? Deferred.await(end) : Effect.void)
      const ask = ({ appId, secretKey: key }: typeof server.ours, query: string) =>
        server.call("POST", "/api/graphql", { key, body: { query, variables: { app: appId } } })
      const reads = Promise.all(Array.from({ length: OF_ONE }, () => ask(server.ours, QUERY)))
      await vi.waitFor(() => expect(server.outage.count("DeviceStore.list")).toBe(OF_ONE))
      const large = await ask(server.theirs, LARGE)
      expect([large.status, large.json.errors]).toEqual([200, undefined])
      Effect.runSync(Deferred.succeed(end, undefined))
      expect((await reads).every(({ status }) => status === 200)).toBe(true)
    } finally {
      await server.stop()
    }
  })
})
