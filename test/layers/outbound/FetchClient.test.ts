import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { layer } from "../../../layers/outbound/FetchClient.ts"
import { OutboundRefused } from "../../../services/ports/outbound/OutboundPolicy.ts"
import type { SmallAnswer, SmallRequest } from "../../../services/ports/outbound/SmallRequests.ts"
import { NoAnswer, SmallRequests } from "../../../services/ports/outbound/SmallRequests.ts"
import { FetchClient } from "../../../services/ports/workflows/FetchClient.ts"

/** What a FETCH comes to whose request ends so, and the request. */
const fetched = async (outcome: Partial<SmallAnswer> | NoAnswer | OutboundRefused) => {
  let asked: SmallRequest | null = null
  const requests = SmallRequests.of({
    send: (request) => {
      asked = request
      if (outcome instanceof NoAnswer || outcome instanceof OutboundRefused) return Effect.fail(outcome)
      return Effect.succeed({ status: 200, headers: {}, body: "", ...outcome })
    }
  })
  const request = { method: "POST" as const, url: "https://example.com/", headers: { a: "b" }, body: "{}" }
  const result = await Effect.runPromise(
    Effect.flatMap(FetchClient, ({ fetch }) => fetch(request)).pipe(
      Effect.provide(layer.pipe(Layer.provide(Layer.succeed(SmallRequests, requests))))
    )
  )
  return { result: result._tag === "Unread" ? result.read() : result, asked: asked! as SmallRequest }
}

describe("a FETCH", () => {
  it("has ten seconds, over http as well, with what the step says", async () => {
    const { asked } = await fetched({})
    expect(asked).toMatchObject({ deadlineMs: 10_000, mayBePlain: true, body: "{}" })
    expect(asked.headers).toEqual({ "user-agent": "Heliograph", "content-type": "application/json", a: "b" })
  })

  it.each([
    ["JSON", { body: '{"a":1}' }, { status: 200, body: { a: 1 } }],
    ["no JSON", { body: "<html>" }, { status: 200, body: null }],
    ["a refusal of its server's", { status: 404, body: "[]" }, { status: 404, body: [] }]
  ])("is answered by %s", async (_, answer, expected) => {
    expect((await fetched(answer)).result).toEqual({ _tag: "Answer", ...expected, size: answer.body.length })
  })

  it.each([
    // Ids of 64 bits, and what no double is.
    ['{"a":[9007199254740993,-1541815603606036480]}', { a: ["9007199254740993", "-1541815603606036480"] }],
    ["[1e400,-1e400,9.007199254740993e15]", ["1e400", "-1e400", "9.007199254740993e15"]],
    ['{"__proto__":9007199254740993}', JSON.parse('{"__proto__":"9007199254740993"}')],
    [
      '[9007199254740992,1e21,0.12345678901234567890,"9007199254740993"]',
      [2 ** 53, 1e21, 0.12345678901234568, "9007199254740993"]
    ],
    [
      String.raw`{"a\u0000":"\ud800!\udc00","b":["\\u0000","\ud83d\ude00"]}`,
      { "a\ufffd": "\ufffd!\ufffd", b: ["\\u0000", "😀"] }
    ]
  ])(
    "keeps the text of a number that would be another one, and of characters those that are some: %s",
    async (body, kept) => {
      expect((await fetched({ body })).result).toEqual({ _tag: "Answer", status: 200, body: kept, size: body.length })
    }
  )

  it("fails where the answer is nested deeper than a request may be", async () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
    expect((await fetched({ body: nested(32) })).result).toMatchObject({ _tag: "Answer", status: 200 })
    for (const levels of [33, 32_000]) {
      const detail = "the answer is nested deeper than 32 levels"
      expect((await fetched({ body: nested(levels) })).result).toEqual({
        _tag: "Fault",
        detail,
        mayRetry: false,
        retryAfterMs: null
      })
    }
  })

  it.each([
    ["429 that says when", { status: 429, headers: { "retry-after": "120" } }, 120_000],
    ["429 that says too much", { status: 429, headers: { "retry-after": "99999999" } }, 3_600_000],
    [
      "503 that says a time that is over",
      { status: 503, headers: { "retry-after": "Mon, 01 Jan 2001 00:00:00 GMT" } },
      0
    ],
    ["500 that says nothing one can read", { status: 500, headers: { "retry-after": "soon" } }, null]
  ])("is tried again after %s", async (_, answer, retryAfterMs) => {
    const { result } = await fetched(answer)
    expect(result).toEqual({ _tag: "Fault", detail: `answered ${answer.status}`, mayRetry: true, retryAfterMs })
  })

  it.each([301, 302, 307, 308])("is not followed where it is a redirect, and not asked again: %i", async (status) => {
    const { result } = await fetched({ status, headers: { location: "https://example.com/" } })
    const detail = `answered ${status}: redirects are not followed`
    expect(result).toEqual({ _tag: "Fault", detail, mayRetry: false, retryAfterMs: null })
  })

  it.each([
    ["a server that is too slow", new NoAnswer({ message: "no answer in time", reason: "no answer in time" }), true],
    [
      "an answer that is too large",
      new NoAnswer({
        message: "the answer is larger than 64 KB",
        reason: "the answer is larger than 64 KB",
        isTooLarge: true
      }),
      false
    ],
    ["a private address", new OutboundRefused({ message: "is a private address", transient: false }), false],
    ["a name that is not found just now", new OutboundRefused({ message: "does not resolve", transient: true }), true]
  ])("fails with the reason: %s", async (_, failure, mayRetry) => {
    const { result } = await fetched(failure)
    expect(result).toEqual({ _tag: "Fault", detail: failure.message, mayRetry, retryAfterMs: null })
  })

  it("tells nothing of the address that was called", async () => {
    const message = "connect ECONNREFUSED 10.0.0.7:443"
    const { result } = await fetched(new NoAnswer({ message, reason: "connection refused" }))
    expect(result).toMatchObject({ detail: "connection refused", mayRetry: true })
  })

  it.each(["gzip", "br, gzip", "identity, zstd", ["identity", "deflate"]])(
    "fails, and does not go on without its body, when the answer is compressed: %s",
    async (coding) => {
      const { result } = await fetched({ status: 200, headers: { "content-encoding": coding }, body: "\u001f\u008b" })
      const detail = "the answer is compressed, which was not asked for"
      expect(result).toEqual({ _tag: "Fault", detail, mayRetry: false, retryAfterMs: null })
    }
  )

  it("takes an answer that says of itself that it is not compressed, and one without a body", async () => {
    const plain = await fetched({ status: 200, headers: { "content-encoding": "Identity" }, body: "{}" })
    expect(plain.result).toEqual({ _tag: "Answer", status: 200, body: {}, size: 2 })
    const empty = await fetched({ status: 204, headers: { "content-encoding": "gzip" }, body: "" })
    expect(empty.result).toEqual({ _tag: "Answer", status: 204, body: null, size: 0 })
  })
})
