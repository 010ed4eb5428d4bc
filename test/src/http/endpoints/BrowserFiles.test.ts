import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const SCRIPTS = ["/sdk/browser.js", "/sdk/browser.global.js", "/sdk/inbox.js", "/sw.js"]

describe("the browsers' SDK", () => {
  it.each(SCRIPTS)("is served as JavaScript to pages of any site, and once: %s", async (path) => {
    const first = await fetch(server.baseUrl + path)
    expect(first.status).toBe(200)
    expect(first.headers.get("content-type")).toMatch(/^application\/javascript/)
    expect(first.headers.get("access-control-allow-origin")).toBe("*")
    expect((await first.text()).length).toBeGreaterThan(1000)
    const etag = first.headers.get("etag")!
    // Weak, as the compressed forms have the same.
    expect(etag).toMatch(/^W\/"[^"]+"$/)
    for (const known of [`"other", ${etag}`, etag.slice(2)]) {
      const second = await fetch(server.baseUrl + path, { headers: { "if-none-match": known } })
      expect([second.status, second.headers.get("etag"), await second.text()]).toEqual([304, etag, ""])
    }
  })

  it("has its worker asked for each time, with any key and address behind it, and its other files once in a while", async () => {
    const worker = await fetch(`${server.baseUrl}/sw.js?key=pk_1&api=https%3A%2F%2Fpush.example.com`)
    expect([worker.status, worker.headers.get("cache-control")]).toEqual([200, "no-cache"])
    const page = await fetch(`${server.baseUrl}/sdk/browser.js`)
    expect(page.headers.get("cache-control")).toMatch(/^public, max-age=3600/)
  })

  it("comes as small as the caller can read, and says the same", async () => {
    const texts = await Promise.all(
      ["br", "gzip", "identity", "br;q=0"].map(async (encoding) => {
        const answer = await fetch(`${server.baseUrl}/sw.js`, { headers: { "accept-encoding": encoding } })
        return [answer.headers.get("content-encoding"), await answer.text()] as const
      })
    )
    expect(texts.map(([encoding]) => encoding)).toEqual(["br", "gzip", null, null])
    expect(new Set(texts.map(([, text]) => text)).size).toBe(1)
  })
})
