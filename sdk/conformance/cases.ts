/* What every client does (sdk/README.md), as cases: a script for the service, calls, and what has to come of them. */

import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict"
import { readFileSync } from "node:fs"
import type { Answer, Client, Driver, Request } from "./Driver.ts"
import type { Reply, Seen } from "./Misbehaving.ts"
import {
  cutOff,
  device,
  exported,
  hangUp,
  html,
  json,
  page,
  raw,
  refusal,
  silence,
  stall,
  startMisbehaving,
  texts
} from "./Misbehaving.ts"

type Server = Awaited<ReturnType<typeof startMisbehaving>>

export interface Case {
  readonly name: string
  readonly run: (driver: Driver, server: Server) => Promise<void>
}

const KEY = "sk_test"
const ID = device(7).id
const LINES = "application/x-ndjson"

interface Play {
  readonly answer: Answer
  readonly seen: ReadonlyArray<Seen>
  readonly ms: number
}

const play = async (
  driver: Driver,
  server: Server,
  replies: ReadonlyArray<Reply | "import">,
  request: Request,
  client: Partial<Client> = {}
): Promise<Play> => {
  const script = server.script(replies)
  const start = performance.now()
  const answer = await driver.ask({ client: { api_key: KEY, base_url: script.baseUrl, ...client }, ...request })
  return { answer, seen: script.seen, ms: performance.now() - start }
}

const get: Request = { call: "devices.get", ids: [ID] }
const create: Request = { call: "notifications.create", body: { to: { user_ids: ["u"] }, content: { title: "Hello" } } }
const accepted = json(202, { id: ID, status: "queued" })
const found = json(200, device(7))

const one = (
  name: string,
  replies: ReadonlyArray<Reply | "import">,
  request: Request,
  check: (play: Play) => void,
  client: Partial<Client> = {}
): Case => ({ name, run: async (driver, server) => check(await play(driver, server, replies, request, client)) })

const value = ({ answer }: Play): any => {
  equal(answer.error, undefined, JSON.stringify(answer.error))
  return answer.value
}

const requests: ReadonlyArray<Case> = [
  one("asks with the key, for JSON, below the base address", [found], get, (it) => {
    equal(value(it).token, "token-7")
    equal(it.seen.length, 1)
    equal(it.seen[0]!.method, "GET")
    equal(it.seen[0]!.path, `/api/v1/devices/${ID}`)
    equal(it.seen[0]!.headers.authorization, `ApiKey ${KEY}`)
    match(it.seen[0]!.headers.accept!, /application\/json/)
    match(it.seen[0]!.headers["user-agent"] ?? "", /heliograph|node/)
  }),
  {
    name: "takes a base address that ends with a slash",
    run: async (driver, server) => {
      const script = server.script([found])
      const answer = await driver.ask({ client: { api_key: KEY, base_url: `${script.baseUrl}/` }, ...get })
      equal(answer.value?.id, ID)
      equal(script.seen[0]!.path, `/api/v1/devices/${ID}`)
    }
  },
  one(
    "says of a public key that it is one",
    [json(200, { public_key: "x" })],
    { call: "publicApps.vapid", ids: [ID] },
    (it) => equal(it.seen[0]!.headers.authorization, "Public pk_test"),
    { api_key: "pk_test" }
  ),
  one(
    "writes ids so that they stay one part of the path",
    [json(200, {})],
    { call: "contacts.getByExternalId", ids: ["a/b c?d#é%"] },
    (it) => equal(it.seen[0]!.path, "/api/v1/contacts/by-external-id/a%2Fb%20c%3Fd%23%C3%A9%25")
  ),
  {
    name: "keeps every id within its part of the path, whatever is in it",
    run: async (driver, server) => {
      const before = "/api/v1/contacts/by-external-id/"
      const ids = [
        "../../devices",
        "..%2f..",
        "%2e%2e",
        "...",
        "a\\\\b",
        "a;b=c@d:e,f$g&h+i",
        "x?limit=1#y",
        "日本 🛰",
        " ",
        "a\nb"
      ]
      const script = server.script([json(200, {})])
      for (const id of ids) {
        const client = { api_key: KEY, base_url: script.baseUrl }
        const { error } = await driver.ask({ client, call: "contacts.getByExternalId", ids: [id] })
        equal(error, undefined, JSON.stringify(error))
        const { path } = script.seen.at(-1)!
        deepEqual([path.slice(0, before.length), decodeURIComponent(path.slice(before.length))], [before, id])
        match(path.slice(before.length), /^[^/?#\\]+$/)
      }
      equal(script.seen.length, ids.length)
    }
  },
  one(
    "asks with no parameter for a list that is empty",
    [page([], null)],
    { call: "devices.list", query: { tags_any: [], limit: 2 } },
    (it) => equal(it.seen[0]!.path, "/api/v1/devices?limit=2")
  ),
  one(
    "repeats a parameter for each value of a list, and leaves out what is not there",
    [page([], null)],
    { call: "devices.list", query: { tags_any: ["a b", "é&="], limit: 2 }, as: "items" },
    (it) => {
      const query = new URLSearchParams(it.seen[0]!.path.split("?")[1])
      deepEqual(query.getAll("tags_any"), ["a b", "é&="])
      deepEqual([...query.keys()].sort(), ["limit", "tags_any", "tags_any"])
    }
  ),
  one("sends a body as JSON with a key of its own for each call", [accepted], create, (it) => {
    deepEqual(value(it), { id: ID, status: "queued" })
    const [{ body, headers, method }] = it.seen as [Seen]
    equal(method, "POST")
    match(headers["content-type"]!, /^application\/json/)
    deepEqual(JSON.parse(body), create.body)
    ok(String(headers["idempotency-key"]).length >= 32)
  }),
  {
    name: "makes another idempotency key for another call, and takes the caller's",
    run: async (driver, server) => {
      const script = server.script([accepted])
      const client = { api_key: KEY, base_url: script.baseUrl }
      await driver.ask({ client, ...create })
      await driver.ask({ client, ...create })
      await driver.ask({ client, ...create, options: { idempotency_key: "order-42", headers: { "X-Trace": "t" } } })
      const keys = script.seen.map(({ headers }) => headers["idempotency-key"])
      notEqual(keys[0], keys[1])
      equal(keys[2], "order-42")
      equal(script.seen[2]!.headers["x-trace"], "t")
    }
  },
  one(
    "sends what is null as null, what is empty as empty, and what was not given not at all",
    [found],
    { call: "devices.update", ids: [ID], body: { user_id: null, tags: [] } },
    (it) => {
      deepEqual(JSON.parse(it.seen[0]!.body), { user_id: null, tags: [] })
      equal(it.seen[0]!.method, "PATCH")
      equal(it.seen[0]!.headers["idempotency-key"], undefined)
    }
  ),
  one(
    "keeps free-form objects, text in any script, and numbers",
    [json(200, { ...device(7), metadata: { n: 1.5, deep: { naïve: ["日本", null, true] } } })],
    { call: "devices.update", ids: [ID], body: { metadata: { n: 1.5, deep: { naïve: ["日本", null, true] } } } },
    (it) => {
      deepEqual(JSON.parse(it.seen[0]!.body), { metadata: { n: 1.5, deep: { naïve: ["日本", null, true] } } })
      deepEqual(value(it).metadata, { n: 1.5, deep: { naïve: ["日本", null, true] } })
    }
  ),
  one(
    "takes answers with fields and values that it does not know",
    [json(200, { ...device(7), status: "brand_new", more: { x: 1 } })],
    get,
    (it) => {
      equal(value(it).id, ID)
      equal(value(it).status, "brand_new")
    }
  )
]

const usage = (name: string, request: Request, client: Partial<Client> = {}): Case =>
  one(
    name,
    [found],
    request,
    (it) => {
      equal(it.answer.error?.kind, "usage", JSON.stringify(it.answer))
      equal(it.seen.length, 0)
    },
    client
  )

const mistakes: ReadonlyArray<Case> = [
  usage("refuses an empty key before it asks", get, { api_key: "" }),
  usage("refuses a key that no header can hold", get, { api_key: "sk_a\nb" }),
  usage("refuses an address that is none", get, { base_url: "push.example.com" }),
  usage("refuses an address with a name and password in it", get, { base_url: "https://a:b@push.example.com" }),
  usage("refuses an id that is empty", { ...get, ids: [""] }),
  usage("refuses an id that leads elsewhere", { ...get, ids: [".."] }),
  usage("refuses an id that leads nowhere", { ...get, ids: ["."] }),
  usage("refuses an idempotency key with a line break in it", {
    ...create,
    options: { idempotency_key: "order\r\nX-Evil: 1" }
  }),
  usage("refuses an idempotency key that the service would refuse", {
    ...create,
    options: { idempotency_key: "order é" }
  }),
  usage("refuses an idempotency key that is empty, in place of making one", {
    ...create,
    options: { idempotency_key: "" }
  }),
  usage("refuses a header whose name is none", { ...get, options: { headers: { "X Trace": "a" } } }),
  usage("refuses a header with a line break in it", { ...get, options: { headers: { "X-Trace": "a\r\nX-Evil: 1" } } })
]

const gap = (it: Play, i = 0): number => it.seen[i + 1]!.at - it.seen[i]!.at

const retries: ReadonlyArray<Case> = [
  one(
    "waits as long as a 429 asks, and repeats with the same key",
    [refusal(429, "rate_limited", { "retry-after": "1" }), accepted],
    create,
    (it) => {
      equal(value(it).id, ID)
      equal(it.seen.length, 2)
      ok(gap(it) >= 990 && gap(it) < 3000, `waited ${gap(it)} ms`)
      equal(it.seen[0]!.headers["idempotency-key"], it.seen[1]!.headers["idempotency-key"])
      equal(it.seen[0]!.body, it.seen[1]!.body)
    }
  ),
  one("waits a little after a 429 that asks for nothing", [refusal(429, "rate_limited"), found], get, (it) => {
    equal(value(it).id, ID)
    ok(gap(it) >= 100 && gap(it) < 900, `waited ${gap(it)} ms`)
  }),
  {
    name: "understands a moment in Retry-After",
    run: async (driver, server) => {
      const later: Reply = (...given) =>
        refusal(503, "unavailable", { "retry-after": new Date(Date.now() + 2500).toUTCString() })(...given)
      const it = await play(driver, server, [later, found], get)
      equal(value(it).id, ID)
      ok(gap(it) >= 1400, `waited ${gap(it)} ms`)
    }
  },
  one(
    "repeats after 503, longer each time",
    [refusal(503, "unavailable"), refusal(503, "unavailable"), found],
    get,
    (it) => {
      equal(value(it).id, ID)
      equal(it.seen.length, 3)
    }
  ),
  one(
    "repeats after 500 and 408",
    [refusal(500, "internal_error"), refusal(408, "request_timeout"), found],
    get,
    (it) => equal(value(it).id, ID)
  ),
  one("repeats a call whose connection broke before the answer", [hangUp, accepted], create, (it) => {
    equal(value(it).id, ID)
    equal(it.seen.at(-1)!.headers["idempotency-key"], it.seen[0]!.headers["idempotency-key"])
  }),
  one("repeats a call whose answer broke off", [cutOff, accepted], create, (it) => equal(value(it).id, ID)),
  one("repeats a call whose answer is a page of HTML", [html(200), found], get, (it) => equal(value(it).id, ID)),
  one("repeats a call that took too long", [silence, found], get, (it) => equal(value(it).id, ID), { timeout_ms: 700 }),
  one("repeats a call whose body took too long", [stall, found], get, (it) => equal(value(it).id, ID), {
    timeout_ms: 700
  }),
  one(
    "repeats after a conflict that says when",
    [refusal(409, "conflict", { "retry-after": "0" }), accepted],
    create,
    (it) => equal(value(it).id, ID)
  ),
  one(
    "gives up after as many attempts as it may have",
    [refusal(503, "unavailable")],
    { ...get, options: { max_retries: 1 } },
    (it) => {
      equal(it.answer.error?.kind, "api")
      equal(it.answer.error?.status, 503)
      equal(it.seen.length, 2)
    }
  ),
  one(
    "makes one attempt where no more are allowed",
    [hangUp],
    get,
    (it) => {
      equal(it.answer.error?.kind, "connection")
      equal(it.seen.length, 1)
    },
    { max_retries: 0 }
  ),
  one(
    "does not wait for what the deadline is too short for",
    [refusal(429, "rate_limited", { "retry-after": "60" })],
    get,
    (it) => {
      equal(it.answer.error?.kind, "api")
      equal(it.answer.error?.code, "rate_limited")
      equal(it.answer.error?.retry_after_ms, 60_000)
      equal(it.seen.length, 1)
      ok(it.ms < 2500, `took ${it.ms} ms`)
    },
    { deadline_ms: 3000 }
  ),
  ...["99999999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"].map((asked) =>
    one(
      `does not come back before it may: Retry-After: ${asked}`,
      [refusal(503, "unavailable", { "retry-after": asked }), found],
      get,
      (it) => {
        equal(it.answer.error?.status, 503)
        ok(it.answer.error!.retry_after_ms! > 1e9, `${it.answer.error!.retry_after_ms}`)
        equal(it.seen.length, 1)
      }
    )
  ),
  ...["soon", "-1", "1.5", "Fri, 99 Foo 2026"].map((asked) =>
    one(
      `waits a little after a Retry-After that says nothing: ${asked}`,
      [refusal(503, "unavailable", { "retry-after": asked }), found],
      get,
      (it) => {
        equal(value(it).id, ID)
        // Neither at once nor, as others read it, in an hour, which the deadline would leave no time for.
        ok(gap(it) >= 100, `waited ${gap(it)} ms`)
      }
    )
  ),
  one(
    "ends with the deadline",
    [silence],
    get,
    (it) => {
      equal(it.answer.error?.kind, "timeout")
      ok(it.ms >= 650 && it.ms < 5000, `took ${it.ms} ms`)
    },
    { deadline_ms: 700 }
  )
]

const refused = (it: Play) => {
  notEqual(it.answer.error, undefined, JSON.stringify(it.answer))
  return it.answer.error!
}

const strange = (what: string, body: string, request: Request): Case =>
  one(
    `says of an answer that is ${what} that there was none`,
    [raw(body), page([], null)],
    request,
    (it) => equal(refused(it).kind, "connection", JSON.stringify(it.answer)),
    { max_retries: 0 }
  )
const importOfOne: Request = { call: "devices.import", lines: [{ token: "a", platform: "ios" }], as: "items" }

const errors: ReadonlyArray<Case> = [
  one(
    "tells a refusal with all that was said",
    [refusal(400, "validation_error", { "x-request-id": "req-1" }, [{ field: "url", message: "is private" }])],
    { call: "webhooks.create", body: { name: "a", url: "http://10.0.0.1/" } },
    (it) => {
      const { message, ...rest } = refused(it)
      deepEqual(rest, {
        kind: "api",
        status: 400,
        code: "validation_error",
        details: [{ field: "url", message: "is private" }],
        request_id: "req-1",
        retry_after_ms: null
      })
      match(message!, /It is validation_error/)
      equal(it.seen.length, 1)
    }
  ),
  one("passes on codes that it does not know", [refusal(404, "gone_for_ever")], get, (it) => {
    equal(refused(it).code, "gone_for_ever")
    equal(it.seen.length, 1)
  }),
  one("does not repeat a conflict that says nothing of when", [refusal(409, "conflict")], create, (it) => {
    equal(refused(it).code, "conflict")
    equal(it.seen.length, 1)
  }),
  one(
    "tells a proxy's page by its status",
    [html(502, { "x-request-id": "req-2" })],
    get,
    (it) => {
      const { code, kind, request_id, status } = refused(it)
      deepEqual({ code, kind, request_id, status }, { code: "unknown", kind: "api", request_id: "req-2", status: 502 })
    },
    { max_retries: 0 }
  ),
  one("tells JSON that is not the service's by its status", [json(400, ["no"])], get, (it) =>
    equal(refused(it).code, "unknown")
  ),
  one("follows no redirect", [html(302, { location: "/elsewhere" })], get, (it) => {
    equal(refused(it).kind, "api")
    equal(refused(it).status, 302)
    equal(it.seen.length, 1)
  }),
  one(
    "says of HTML with 200 that there was no answer",
    [html(200)],
    get,
    (it) => equal(refused(it).kind, "connection"),
    { max_retries: 0 }
  ),
  one(
    "says of an answer that broke off that there was none",
    [cutOff],
    get,
    (it) => equal(refused(it).kind, "connection"),
    { max_retries: 0 }
  ),
  one(
    "says of a body that never ends that it took too long",
    [stall],
    get,
    (it) => {
      equal(refused(it).kind, "timeout")
      equal(it.seen.length, 1)
    },
    { max_retries: 0, timeout_ms: 600 }
  ),
  {
    name: "says that nobody is there",
    run: async (driver) => {
      const answer = await driver.ask({
        client: { api_key: KEY, base_url: "http://127.0.0.1:9", max_retries: 1 },
        ...get
      })
      equal(answer.error?.kind, "connection")
    }
  }
]

const DEEP = 5_000

/** A success that is JSON, and not of the service: of a proxy that answers for it, or of another one. */
const otherShapes: ReadonlyArray<Case> = [
  ...["null", "[]", "5", '"x"', "true", "[".repeat(DEEP) + "]".repeat(DEEP)].flatMap((body) => [
    strange(`no object: ${body.slice(0, 5)}`, body, get),
    strange(`no page: ${body.slice(0, 5)}`, body, { call: "devices.list" }),
    strange(`no line of an export: ${body.slice(0, 5)}`, `${body}\n`, { call: "devices.export", as: "items" }),
    strange(`no result of an import: ${body.slice(0, 5)}`, `${body}\n`, importOfOne)
  ]),
  ...[
    {},
    { data: null, next_cursor: null },
    { data: { a: 1 }, next_cursor: null },
    { data: [] },
    { data: [], next_cursor: 5 }
  ].flatMap((body) => [
    strange(`no page: ${JSON.stringify(body)}`, JSON.stringify(body), { call: "devices.list" }),
    strange(`no page of many: ${JSON.stringify(body)}`, JSON.stringify(body), { call: "devices.list", as: "items" })
  ]),
  ...[{ created: true }, { line: "1", created: true }].map((result) =>
    strange(`no result of an import: ${JSON.stringify(result)}`, `${JSON.stringify(result)}\n`, importOfOne)
  ),
  ...["none", { url: "is private" }].map((details) =>
    one(
      `keeps what it knows of a refusal whose details are no list: ${JSON.stringify(details)}`,
      [json(400, { error: { code: "validation_error", message: "It is wrong", details, request_id: "req-1" } })],
      get,
      (it) => {
        const { code, kind, message, request_id } = refused(it)
        deepEqual([kind, code, request_id], ["api", "validation_error", "req-1"])
        match(message!, /It is wrong/)
        deepEqual(refused(it).details ?? [], [])
      }
    )
  )
]

/** Languages without a way to break off a call from outside say so. */
export const cancelling: ReadonlyArray<Case> = [
  one("is cancelled while it waits for an answer", [silence], { ...get, cancel_after_ms: 1200 }, (it) => {
    equal(refused(it).kind, "cancelled")
    ok(it.ms < 4000, `took ${it.ms} ms`)
  }),
  one(
    "is cancelled while it waits for another attempt",
    [refusal(429, "rate_limited", { "retry-after": "20" })],
    { ...get, cancel_after_ms: 1200 },
    (it) => {
      equal(refused(it).kind, "cancelled")
      ok(it.ms < 4000, `took ${it.ms} ms`)
      equal(it.seen.length, 1)
    }
  )
]

/** A connection that two processes ask on gives one of them the other's answer. */
export const forking: ReadonlyArray<Case> = [
  one(
    "asks on a connection of its own after a fork, and leaves the parent's to it",
    [found, json(200, device(8)), json(200, device(9))],
    { ...get, fork: true },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      deepEqual(tokens(it), ["token-7", "token-8", "token-9"])
      const [before, child, after] = it.seen.map(({ port }) => port)
      notEqual(child, before)
      equal(after, before)
    }
  )
]

/** What waits for a connection waits in the loop that opened it: no other could wake it, and none once it is closed. */
export const looping: ReadonlyArray<Case> = [
  one(
    "asks on a connection of its own in every event loop",
    [found, json(200, device(8)), json(200, device(9)), json(200, device(10))],
    { ...get, loops: true },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      deepEqual(tokens(it), ["token-7", "token-8", "token-9", "token-10"])
      const [before, first, second, after] = it.seen.map(({ port }) => port)
      equal(new Set([before, first, second]).size, 3)
      equal(after, before)
    }
  )
]

const pages = [page([device(1), device(2)], "c1"), page([device(3)], "c2"), page([], "c3"), page([device(4)], null)]
const tokens = (it: Play) => it.answer.items?.map(({ token }) => token)

const lists: ReadonlyArray<Case> = [
  one("gives one page", pages, { call: "devices.list", query: { limit: 2 } }, (it) => {
    equal(value(it).next_cursor, "c1")
    deepEqual(
      value(it).data.map((one: any) => one.token),
      ["token-1", "token-2"]
    )
    equal(it.seen.length, 1)
  }),
  one(
    "goes through all items, page after page, with the same question",
    pages,
    { call: "devices.list", query: { platform: "ios", tags_any: ["x", "y"] }, as: "items" },
    (it) => {
      equal(it.answer.error, undefined)
      deepEqual(tokens(it), ["token-1", "token-2", "token-3", "token-4"])
      const asked = it.seen.map(({ path }) => new URLSearchParams(path.split("?")[1]))
      deepEqual(
        asked.map((query) => query.get("cursor")),
        [null, "c1", "c2", "c3"]
      )
      for (const query of asked) deepEqual([query.get("platform"), query.getAll("tags_any")], ["ios", ["x", "y"]])
    }
  ),
  one("goes through pages", pages, { call: "devices.list", as: "pages" }, (it) => {
    deepEqual(
      it.answer.items?.map(({ data }) => data.length),
      [2, 1, 0, 1]
    )
  }),
  one(
    "begins where a cursor says",
    [page([device(9)], null)],
    { call: "devices.list", query: { cursor: "c9" }, as: "items" },
    (it) => {
      deepEqual(tokens(it), ["token-9"])
      match(it.seen[0]!.path, /cursor=c9/)
    }
  ),
  one("asks for no page that nobody wants", pages, { call: "devices.list", as: "items", take: 2 }, (it) => {
    deepEqual(tokens(it), ["token-1", "token-2"])
    equal(it.seen.length, 1)
  }),
  one(
    "repeats a page that failed, and no other",
    [pages[0]!, refusal(503, "unavailable"), pages[3]!],
    { call: "devices.list", as: "items" },
    (it) => {
      deepEqual(tokens(it), ["token-1", "token-2", "token-4"])
    }
  ),
  one(
    "ends with the error of a page, after the items before it",
    [pages[0]!, refusal(403, "forbidden")],
    { call: "devices.list", as: "items" },
    (it) => {
      deepEqual(tokens(it), ["token-1", "token-2"])
      equal(refused(it).code, "forbidden")
    }
  )
]

const text = (i: number) => `${JSON.stringify({ ...device(i), user_id: "日本é" })}\n`
const bytes = new TextEncoder().encode(text(1) + text(2))
/** In the middle of a character. */
const middle = bytes.findIndex((byte) => byte > 127) + 1

const streams: ReadonlyArray<Case> = [
  one(
    "reads lines, however they are cut",
    [
      texts([
        bytes.slice(0, middle),
        bytes.slice(middle),
        text(3) + text(4),
        "\n",
        text(5).slice(0, 20),
        text(5).slice(20)
      ])
    ],
    { call: "devices.export", query: { platform: "ios" }, as: "items" },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      deepEqual(
        tokens(it),
        [1, 2, 3, 4, 5].map((i) => `token-${i}`)
      )
      deepEqual(new Set(it.answer.items?.map(({ user_id }) => user_id)), new Set(["日本é"]))
      match(it.seen[0]!.headers.accept!, /ndjson/)
      match(it.seen[0]!.path, /platform=ios/)
    }
  ),
  one("reads nothing", [texts([])], { call: "devices.export", as: "items" }, (it) => deepEqual(it.answer.items, [])),
  one(
    "repeats an export that did not begin",
    [refusal(503, "unavailable"), texts([text(1)])],
    { call: "devices.export", as: "items" },
    (it) => deepEqual(tokens(it), ["token-1"])
  ),
  one(
    "says that an export broke off, after what it gave",
    [texts([text(1), text(2)], true)],
    { call: "devices.export", as: "items" },
    (it) => {
      deepEqual(tokens(it), ["token-1", "token-2"])
      equal(refused(it).kind, "connection")
      equal(it.seen.length, 1)
    }
  ),
  one(
    "says that the last line of an export is not whole",
    [texts([text(1), text(2).slice(0, 30)])],
    { call: "devices.export", as: "items" },
    (it) => {
      deepEqual(tokens(it), ["token-1"])
      equal(refused(it).kind, "connection")
    }
  ),
  one(
    "can be left in the middle of an export",
    [exported(100_000)],
    { call: "devices.export", as: "items", take: 3 },
    (it) => {
      equal(it.answer.items?.length, 3)
      ok(it.ms < 5000, `took ${it.ms} ms`)
    }
  ),
  one("tells a refused export", [refusal(403, "forbidden")], { call: "devices.export", as: "items" }, (it) =>
    equal(refused(it).code, "forbidden")
  ),
  one(
    "imports lines and gives the result of each",
    ["import"],
    {
      call: "devices.import",
      lines: [
        { token: "日", platform: "ios" },
        { token: "b", platform: "bad" },
        { token: "c", platform: "web" }
      ],
      as: "items"
    },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      deepEqual(
        it.answer.items?.map(({ created, error, line }) => [line, created ?? error.code]),
        [
          [1, true],
          [2, "validation_error"],
          [3, true]
        ]
      )
      match(it.seen[0]!.headers["content-type"]!, new RegExp(LINES))
      match(it.seen[0]!.headers.accept!, /ndjson/)
    }
  ),
  one("imports nothing", ["import"], { call: "devices.import", lines: [], as: "items" }, (it) => {
    deepEqual(it.answer.items, [])
    equal(it.answer.error, undefined)
  }),
  one(
    "counts the lines of a long import on",
    ["import"],
    { call: "devices.import", generate: 4321, as: "items" },
    (it) => {
      deepEqual(
        it.answer.items?.map(({ line }) => line),
        Array.from({ length: 4321 }, (_, i) => i + 1)
      )
    }
  ),
  one(
    "tells a refused import",
    [refusal(403, "forbidden")],
    { call: "devices.import", lines: [{ token: "a", platform: "ios" }], as: "items" },
    (it) => equal(refused(it).code, "forbidden")
  )
]

const MOMENT = "2026-01-15T09:30:00.250Z"

/** Where bodies and queries have no types, times of the language's own are written as the service writes them. */
export const untyped: ReadonlyArray<Case> = [
  usage("refuses an id that is no Unicode", { ...get, ids: [{ $odd: "text" }] }),
  usage("refuses a value of a query that is no Unicode", {
    call: "devices.list",
    query: { user_id: { $odd: "text" } }
  }),
  ...["nan", "infinity", "text", "other"].flatMap((odd) => [
    usage(`refuses what JSON has no form for, in a body: ${odd}`, {
      call: "devices.update",
      ids: [ID],
      body: { metadata: { list: [{ $odd: odd }] } }
    }),
    usage(`refuses what JSON has no form for, in an import: ${odd}`, {
      call: "devices.import",
      lines: [{ token: "a", metadata: { list: [{ $odd: odd }] } }],
      as: "items"
    })
  ]),
  one(
    "takes a time of the language's own in a query",
    [page([], null)],
    { call: "devices.list", query: { created_from: { $time: MOMENT } } },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      const [given, ...more] = new URLSearchParams(it.seen[0]!.path.split("?")[1]).getAll("created_from")
      deepEqual([new Date(given!).toISOString(), more], [MOMENT, []])
    }
  ),
  one(
    "takes a time of the language's own in a body, however deep",
    [accepted],
    {
      call: "notifications.create",
      body: {
        to: { user_ids: ["u"] },
        content: { title: "x", data: { at: { $time: MOMENT } } },
        send_at: { $time: MOMENT }
      }
    },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      const { content, send_at } = JSON.parse(it.seen[0]!.body)
      for (const text of [send_at, content.data.at]) {
        match(text, /^2026-01-15T09:30:00\.250/)
        equal(new Date(text).toISOString(), MOMENT)
      }
    }
  )
]

/** A text is the same text wherever it stands, however the program holds it. */
export const encodings: ReadonlyArray<Case> = [
  one(
    "writes texts in other encodings in UTF-8, in a path and in a body",
    [found],
    { call: "contacts.updateByExternalId", ids: [{ $latin: "é" }], body: { email: { $latin: "é" } } },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      equal(it.seen[0]!.path, "/api/v1/contacts/by-external-id/%C3%A9")
      deepEqual(JSON.parse(it.seen[0]!.body), { email: "é" })
    }
  ),
  one(
    "writes texts in other encodings in UTF-8, in a query",
    [page([], null)],
    { call: "devices.list", query: { user_id: { $latin: "é" }, tags_any: [{ $latin: "ü" }] } },
    (it) => {
      equal(it.answer.error, undefined, JSON.stringify(it.answer.error))
      const query = new URLSearchParams(it.seen[0]!.path.split("?")[1])
      deepEqual([query.get("user_id"), query.get("tags_any")], ["é", "ü"])
    }
  )
]

/** What clients do that send an import in parts, each a request of its own. */
export const importsInParts: ReadonlyArray<Case> = [
  one(
    "repeats a part of an import",
    [refusal(503, "unavailable"), "import"],
    { call: "devices.import", lines: [{ token: "a", platform: "ios" }], as: "items" },
    (it) => {
      deepEqual(
        it.answer.items?.map(({ line }) => line),
        [1]
      )
    }
  )
]

interface Vector {
  readonly name: string
  readonly secret: string
  readonly header: string
  readonly body: string
  readonly now: number
  readonly valid: boolean
}
const { vectors } = JSON.parse(readFileSync(new URL("../node/receivers.vectors.json", import.meta.url), "utf8")) as {
  readonly vectors: ReadonlyArray<Vector>
}
const genuine = vectors.find(({ body, valid }) => valid && body.startsWith("{"))!
const delivery = ({ body, header, now, secret }: Vector) => ({
  header,
  now,
  secrets: [secret],
  body_base64: Buffer.from(body).toString("base64")
})

const webhooks: ReadonlyArray<Case> = [
  ...vectors.map((vector): Case => ({
    name: `verifies a webhook: ${vector.name}`,
    run: async (driver) => {
      const { error, value } = await driver.ask({ call: "verify", ...delivery(vector) })
      equal(error, undefined, JSON.stringify(error))
      equal(value, vector.valid)
    }
  })),
  {
    name: "verifies with any of several secrets, and with no empty one",
    run: async (driver) => {
      const { secret } = genuine
      const results = []
      for (const secrets of [["other", secret], [secret, ""], ["other", ""], []])
        results.push((await driver.ask({ call: "verify", ...delivery(genuine), secrets })).value)
      deepEqual(results, [true, true, false, false])
    }
  },
  {
    name: "gives the event of a webhook that is genuine, and fails for others",
    run: async (driver) => {
      const { value } = await driver.ask({ call: "parse", ...delivery(genuine) })
      const event = JSON.parse(genuine.body)
      deepEqual([value?.id, value?.event], [event.id, event.event])
      const failed = await driver.ask({ call: "parse", ...delivery(genuine), secrets: ["other"] })
      equal(failed.error?.kind, "webhook")
    }
  },
  {
    name: "says of a secret that is empty or missing that it is, and not that the webhook is not genuine",
    run: async (driver) => {
      for (const secrets of [[""], []]) {
        const { error } = await driver.ask({ call: "parse", ...delivery(genuine), secrets })
        equal(error?.kind, "usage", JSON.stringify(error))
      }
    }
  },
  {
    name: "takes a clock that is wrong by as much as it is told, and no more",
    run: async (driver) => {
      const results = []
      for (const [ahead, tolerance_seconds] of [
        [600, 600],
        [601, 600],
        [-600, 600],
        [10, 5],
        [5, 5]
      ] as const) {
        const now = genuine.now + ahead
        results.push((await driver.ask({ call: "verify", ...delivery(genuine), now, tolerance_seconds })).value)
      }
      deepEqual(results, [true, false, true, false, true])
    }
  }
]

export const cases: ReadonlyArray<Case> = [
  ...requests,
  ...mistakes,
  ...retries,
  ...errors,
  ...otherShapes,
  ...lists,
  ...streams,
  ...webhooks
]

const MANY = 300_000
/** Enough for a collector of garbage to show what it settles at. */
const FEW = 60_000
/** All lines as text are more than 90 MB, as objects more still. */
const GROWTH_MB = 64

/** More memory than a client that holds none of the lines needs. */
export class Growth extends Error {
  constructor(mb: number) {
    super(`grew by ${mb.toFixed(1)} MB`)
  }
}

/** The memory that many lines need beyond what few do, in MB. */
const growth = async (driver: Driver, ask: (count: number) => Promise<void>): Promise<number> => {
  await ask(FEW)
  const before = driver.peak()
  await ask(MANY)
  return driver.peak() - before
}

export const memory: ReadonlyArray<{
  readonly name: string
  readonly run: (driver: Driver, server: Server) => Promise<string>
}> = [
  {
    name: "exports 300,000 lines in flat memory",
    run: async (driver, server) => {
      const start = performance.now()
      const mb = await growth(driver, async (count) => {
        const it = await play(driver, server, [exported(count)], { call: "devices.export", as: "count" })
        deepEqual([it.answer.error, it.answer.count], [undefined, count])
      })
      if (mb >= GROWTH_MB) throw new Growth(mb)
      return `+${mb.toFixed(1)} MB, ${((performance.now() - start) / 1000).toFixed(1)} s`
    }
  },
  {
    name: "imports 300,000 lines in flat memory",
    run: async (driver, server) => {
      const start = performance.now()
      const mb = await growth(driver, async (count) => {
        const script = server.script(["import"])
        const client = { api_key: KEY, base_url: script.baseUrl, deadline_ms: 300_000 }
        const answer = await driver.ask({ client, call: "devices.import", generate: count, as: "count" })
        deepEqual([answer.error, answer.count, answer.errors], [undefined, count, 0])
        equal(script.lines(), count)
      })
      if (mb >= GROWTH_MB) throw new Growth(mb)
      return `+${mb.toFixed(1)} MB, ${((performance.now() - start) / 1000).toFixed(1)} s`
    }
  }
]
