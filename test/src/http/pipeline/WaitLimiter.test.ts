import { Effect } from "effect"
import { createHmac } from "node:crypto"
import type { TestContext } from "vitest"
import { describe, expect, it, vi } from "vitest"
import { LATE, WaitLimiter, within } from "../../../../src/http/pipeline/WaitLimiter.ts"
import { follow } from "../EventReader.ts"
import type { TestServer } from "../TestServer.ts"
import { authorization, startServer } from "../TestServer.ts"

/** Far more than the five seconds that are promised, for machines with much else to do; without an end it was minutes. */
const TIMEOUT = AbortSignal.timeout

const SUPERVISORS = ["/healthz", "/metrics"]

const endpointsOf = (server: TestServer) =>
  Object.entries(server.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
      return {
        method: method.toUpperCase(),
        path: path.replace(/\{[^}]+\}/g, crypto.randomUUID()),
        body: type === "application/json" ? { "content-type": type, body: JSON.stringify(media!.example) } : null
      }
    })
  )

const PUSH = { to: { all: true }, content: { title: "A", body: "B" } }

/** A server of the test's own: the tests run beside each other, because most of their time they wait for deadlines. */
const started = async ({ onTestFinished }: TestContext) => {
  const server = await startServer()
  onTestFinished(async () => {
    server.outage.thaw()
    server.limiterOutage.thaw()
    await server.stop()
  })
  const ask = async (method: string, path: string, key?: string, more: RequestInit = {}) => {
    const response = await fetch(server.baseUrl + path, {
      method,
      redirect: "manual",
      signal: TIMEOUT(60_000),
      ...more,
      headers: { ...(key === undefined ? {} : { authorization: authorization(key) }), ...more.headers }
    })
    const text = await response.text()
    return { status: response.status, retryAfter: response.headers.get("retry-after"), headers: response.headers, text }
  }
  const post = (key: string, more: Record<string, string> = {}) =>
    ask("POST", "/api/v1/notifications", key, {
      body: JSON.stringify(PUSH),
      headers: { "content-type": "application/json", ...more }
    })
  return { server, ask, post }
}

describe("waits that are over", () => {
  it("are all told so, and the later ones too, when telling one of them fails", () => {
    vi.useFakeTimers()
    const defects: Array<unknown> = []
    try {
      const waitLimiter = new WaitLimiter((defect) => defects.push(defect))
      const told: Array<string> = []
      const late = (name: string) => () => {
        told.push(name)
        if (name === "broken") throw new Error("nobody foresaw this")
        return LATE
      }
      for (const name of ["first", "broken", "third"]) waitLimiter.begin(1_000, late(name))
      waitLimiter.begin(2_000, late("later"))
      vi.advanceTimersByTime(1_500)
      expect(told).toEqual(["first", "broken", "third"])
      expect(defects.map(String)).toEqual(["Error: nobody foresaw this"])
      // Nobody's deadline goes with it: not of who waited already, nor of who comes next.
      vi.advanceTimersByTime(1_000)
      expect(told.slice(3)).toEqual(["later"])
      waitLimiter.begin(1_000, late("new"))
      vi.advanceTimersByTime(1_500)
      expect(told.slice(4)).toEqual(["new"])
    } finally {
      vi.useRealTimers()
    }
  })

  it("may begin others, which have their own time", () => {
    vi.useFakeTimers()
    try {
      const waitLimiter = new WaitLimiter((defect) => expect.unreachable(String(defect)))
      const told: Array<number> = []
      const begin = (round: number) => {
        waitLimiter.begin(1_000, () => {
          told.push(round)
          begin(round + 1)
          return LATE
        })
      }
      begin(1)
      for (const round of [1, 2, 3]) {
        vi.advanceTimersByTime(1_200)
        expect(told.at(-1)).toBe(round)
      }
      expect(told).toEqual([1, 2, 3])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe.concurrent("a database that answers nothing any more", () => {
  it.for([
    ["its permits", true],
    ["the stores alone", false]
  ])(
    "has every endpoint answered 503, with keys that are known and not: %s",
    { concurrent: false },
    async ([, hasFrozenPermits], test) => {
      const { ask, server } = await started(test)
      const { publicKey, secretKey } = server.ours
      // One key was asked for a moment ago, the other one never.
      await server.call("GET", "/api/v1/devices", { key: secretKey })
      server.outage.freeze()
      if (hasFrozenPermits) server.limiterOutage.freeze()
      const answers = await Promise.all(
        endpointsOf(server).flatMap(({ body, method, path }) =>
          [secretKey, publicKey].map(async (key) => ({
            method,
            path,
            answer: await ask(
              method,
              path,
              key,
              body === null ? {} : { body: body.body, headers: { "content-type": body["content-type"] } }
            )
          }))
        )
      )
      for (const { answer, method, path } of answers) {
        const expected = SUPERVISORS.includes(path)
          ? [200]
          : hasFrozenPermits || path === "/readyz"
            ? [503]
            : [503, 400, 401, 403, 404, 415, 200]
        expect(expected, `${method} ${path} ${answer.text}`).toContain(answer.status)
        expect(answer.headers.get("x-ratelimit-limit"), path).toMatch(/^\d+$/)
        if (answer.status !== 503) continue
        expect(answer.retryAfter, path).toMatch(/^[1-9]\d*$/)
        expect(JSON.parse(answer.text).error.code).toMatch(/^(unavailable|rate_limiter_unavailable)$/)
      }
    }
  )

  it("has everything work again at once when it goes on", async (test) => {
    const { ask, server } = await started(test)
    const key = server.ours.secretKey
    server.outage.freeze()
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask("GET", "/api/v1/devices", key)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    server.outage.thaw()
    const after = await Promise.all(Array.from({ length: 50 }, () => ask("GET", "/api/v1/devices", key)))
    expect(after.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    expect((await ask("GET", "/api/v1/devices", key)).status).toBe(200)
  })

  it("is not asked by more than a few once it has left somebody waiting, and the others need not wait", async (test) => {
    const { ask, server } = await started(test)
    const key = server.ours.secretKey
    server.outage.freeze()
    await ask("GET", "/api/v1/devices", key)
    const answers = Promise.all(
      Array.from({ length: 300 }, () => ask("GET", "/api/v1/devices", server.keys.generate("secret")))
    )
    const most = { waiting: 0 }
    const watch = setInterval(() => (most.waiting = Math.max(most.waiting, server.outage.waiting)), 5)
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([503]))
    clearInterval(watch)
    expect(most.waiting).toBeGreaterThan(0)
    expect(most.waiting).toBeLessThan(20)
    expect(server.outage.waiting).toBe(0)
  })

  it("leaves a request with an idempotency key one notification, whichever of its tries is answered", async (test) => {
    const { post, server } = await started(test)
    const key = server.ours.secretKey
    const id = { "idempotency-key": "once" }
    await server.call("GET", "/api/v1/devices", { key })
    server.outage.freeze()
    expect((await post(key, id)).status).toBe(503)
    expect((await post(key, id)).status).toBe(503)
    server.outage.thaw()
    let last = await post(key, id)
    while (last.status === 409) last = await post(key, id)
    expect(last.status).toBe(202)
    expect(await server.sql`SELECT id FROM notifications`).toEqual([{ id: JSON.parse(last.text).id }])
  })

  it("leaves nothing behind of what had not begun: what was answered 503 at the door is not done later", async (test) => {
    const { ask, post, server } = await started(test)
    server.outage.freeze()
    expect((await post(server.ours.secretKey)).status).toBe(503)
    server.outage.thaw()
    expect((await ask("GET", "/api/v1/notifications", server.ours.secretKey)).status).toBe(200)
    expect(server.outage.count("NotificationStore.accept")).toBe(0)
    expect(await server.count("notifications")).toBe(0)
  })

  it("does not hold up the answers to a preflight, and to what is not there", async (test) => {
    const { ask, server } = await started(test)
    server.limiterOutage.freeze()
    const answers = await Promise.all([
      ask("OPTIONS", "/api/v1/public/devices"),
      ask("GET", "/nothing"),
      ask("PUT", "/api/v1/devices"),
      ask("GET", "/docs")
    ])
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  })
})

describe.concurrent("a stream whose database stops answering", () => {
  it("ends an import with a line that says so, and takes no more lines", async (test) => {
    const { server } = await started(test)
    const key = server.ours.secretKey
    await server.call("GET", "/api/v1/devices", { key })
    server.outage.before = (operation) =>
      Effect.sync(() => {
        if (operation === "DeviceStore.register") server.outage.freeze()
      })
    const lines = Array.from({ length: 3000 }, (_, i) =>
      JSON.stringify({ platform: "android", token: `token-${i}-${"x".repeat(20)}` })
    )
    const response = await fetch(`${server.baseUrl}/api/v1/devices/import`, {
      method: "POST",
      headers: { authorization: `ApiKey ${key}`, "content-type": "application/x-ndjson" },
      body: lines.join("\n"),
      signal: TIMEOUT(60_000)
    })
    const answers = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(response.status).toBe(200)
    expect(answers.length).toBeLessThan(lines.length)
    const last = answers.at(-1)
    expect(last.error.code).toBe("unavailable")
    expect(last.error.message).toContain("ended here")
  })

  it("ends an export with a line that says so, and in a broken connection", async (test) => {
    const { server } = await started(test)
    const key = server.ours.secretKey
    const lines = Array.from({ length: 1500 }, (_, i) =>
      JSON.stringify({ platform: "android", token: `token-${i}-${"x".repeat(20)}` })
    )
    await server.call("POST", "/api/v1/devices/import", {
      key,
      raw: lines.join("\n"),
      headers: { "content-type": "application/x-ndjson" }
    })
    let pages = 0
    server.outage.before = (operation) =>
      Effect.sync(() => {
        if (operation === "DeviceStore.list" && ++pages === 2) server.outage.freeze()
      })
    const response = await fetch(`${server.baseUrl}/api/v1/devices/export`, {
      headers: { authorization: `ApiKey ${key}` },
      signal: TIMEOUT(60_000)
    })
    expect(response.status).toBe(200)
    let text = ""
    const read = async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    }
    await expect(read()).rejects.toThrow()
    const last = JSON.parse(text.trim().split("\n").at(-1)!)
    expect(last.error).toMatchObject({ code: "unavailable", request_id: response.headers.get("x-request-id") })
  })

  it("keeps its live readers, who hear that they are still there, and the news when it goes on", async (test) => {
    const { server } = await started(test)
    const hash = createHmac("sha256", server.ours.identitySecret).update("ann").digest("hex")
    const follower = await follow(`${server.baseUrl}/api/v1/public/inbox/stream?user_id=ann`, {
      authorization: `Public ${server.ours.publicKey}`,
      "x-identity-hash": hash
    })
    await follower.until(() => follower.unread() === 0)
    server.outage.freeze()
    const heard = follower.comments.length
    // The second one is after all that the first one may have asked for already.
    await follower.until(() => follower.comments.length > heard + 1)
    server.outage.thaw()
    await server.call("POST", "/api/v1/inbox/messages", {
      key: server.ours.secretKey,
      body: { user_ids: ["ann"], title: "after" }
    })
    await follower.until(() => follower.unread() === 1)
    expect(follower.titles()).toEqual(["after"])
    follower.close()
  })
})

it("counts what the database said while the process slept, which is read after its timers", async () => {
  const answer = Effect.callback<string>((resume) => {
    setTimeout(() => {
      const until = performance.now() + 1000
      while (performance.now() < until);
      setTimeout(() => resume(Effect.succeed("there")), 20)
    }, 10)
  })
  expect(await Effect.runPromise(within({ waitLimiter: new WaitLimiter(() => {}), left: 50 }, answer))).toBe("there")
})
