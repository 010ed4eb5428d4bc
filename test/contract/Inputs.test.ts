import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../src/http/TestServer.ts"
import { startServer } from "../src/http/TestServer.ts"

/*
 * How every surface reads what it is given: what a character is, what a name is, which bytes are JSON, and when two
 * requests say the same.
 */

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const call = (method: string, path: string, body: unknown) =>
  server.call(method, `/api/v1${path}`, { key: server.ours.secretKey, body })
const fieldOf = ({ json }: { readonly json: any }) => json.error?.details[0].field
const token = () => crypto.randomUUID().replaceAll("-", "")

const webhook = (more: object) => ({ name: "n", url: "https://93.184.216.34/webhook", ...more })
const phone = (more: object) => ({ platform: "ios", token: token(), ...more })
const segment = (more: object) => ({ name: "n", filter: { platforms: ["ios"] }, ...more })

/** Where a text goes, what it is called there, and how many characters it may have. */
const TEXTS: ReadonlyArray<readonly [path: string, field: string, most: number, body: (text: string) => object]> = [
  ["/webhooks", "name", 120, (name) => webhook({ name })],
  ["/webhooks", "secret", 256, (secret) => webhook({ secret })],
  [
    "/webhooks",
    "url",
    2048,
    (text) => webhook({ url: text.replace(/^.{25}/u, "https://93.184.216.34/webhook".slice(0, 25)) })
  ],
  ["/templates", "name", 120, (name) => ({ name, content: { title: "t" } })],
  ["/templates", "content.title", 8192, (title) => ({ name: "n", content: { title } })],
  ["/segments", "name", 120, (name) => segment({ name })],
  ["/segments", "filter.tags_any[0]", 64, (tag) => segment({ filter: { tags_any: [tag] } })],
  [
    "/segments",
    "filter.attributes[0].name",
    128,
    (name) => segment({ filter: { attributes: [{ name, op: "exists" }] } })
  ],
  ["/api-keys", "name", 120, (name) => ({ kind: "public", name })],
  ["/public/devices", "tags[0]", 64, (tag) => phone({ tags: [tag] })],
  ["/public/devices", "user_id", 256, (user_id) => phone({ user_id })],
  ["/contacts", "external_id", 256, (external_id) => ({ external_id })],
  ["/contacts", "tags[0]", 64, (tag) => ({ external_id: token(), tags: [tag] })],
  ["/notifications", "content.title", 1024, (title) => ({ to: { emails: ["a@example.com"] }, content: { title } })],
  [
    "/notifications",
    "content.subject",
    998,
    (subject) => ({ to: { emails: ["a@example.com"] }, content: { subject, html: "x" } })
  ],
  ["/inbox/messages", "title", 1024, (title) => ({ user_ids: ["u"], title })]
]

describe("the length of a text", () => {
  it.each(TEXTS)("is counted in characters: POST %s with %s, at most %i", async (path, field, most, body) => {
    // Each is two units of UTF-16 and four bytes of UTF-8.
    const full = await call("POST", path, body("😀".repeat(most)))
    expect([full.status, fieldOf(full)]).toEqual([expect.toBeOneOf([200, 201, 202]), undefined])
    for (const character of ["😀", "x"]) {
      const over = await call("POST", path, body(character.repeat(most + 1)))
      expect([over.status, fieldOf(over)]).toEqual([400, field])
    }
  })

  it("is counted so when a thing is changed, too, and in query parameters", async () => {
    const { id } = (await call("POST", "/webhooks", webhook({}))).json
    const name = "😀".repeat(120)
    expect((await call("PATCH", `/webhooks/${id}`, { name })).json.name).toBe(name)
    expect((await call("PATCH", `/webhooks/${id}`, { name: `${name}x` })).status).toBe(400)
    const list = (tag: string) =>
      server.call("GET", `/api/v1/devices?tags_any=${encodeURIComponent(tag)}`, { key: server.ours.secretKey })
    expect((await list("😀".repeat(64))).status).toBe(200)
    expect((await list("😀".repeat(65))).status).toBe(400)
  })
})

describe("a name", () => {
  const NAMED = TEXTS.filter(([, field]) => field === "name").map(([path, , , body]) => [path, body] as const)
  const INVISIBLE = [" ", "\u00a0\u3000", "\u200b", "\u2060\ufeff", "\u3164", "\u2800", "\u00ad \u200d", "\u0301"]

  it.each(NAMED)("has a character that can be seen: POST %s", async (path, body) => {
    for (const name of INVISIBLE) {
      const answer = await call("POST", path, body(name))
      expect([JSON.stringify(name), answer.status, fieldOf(answer)]).toEqual([JSON.stringify(name), 400, "name"])
    }
  })

  it.each(NAMED)("is read in the order in which it is written: POST %s", async (path, body) => {
    for (const control of ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"]) {
      const answer = await call("POST", path, body(`Orders ${control}gpj.exe`))
      expect([answer.status, fieldOf(answer)]).toEqual([400, "name"])
    }
    for (const name of ["طلبات Orders", "הזמנות\u200f!", "می\u200cخواهم"]) {
      expect((await call("POST", path, body(name))).json.name).toBe(name)
    }
  })

  it.each(NAMED)("is kept without white space around it: POST %s", async (path, body) => {
    for (const [given, kept] of [
      ["  Orders of\u00a0May ", "Orders of\u00a0May"],
      ["👩‍👩‍👧", "👩‍👩‍👧"],
      ["§", "§"],
      ["नमस्ते", "नमस्ते"]
    ] as const) {
      expect((await call("POST", path, body(given))).json.name).toBe(kept)
    }
  })

  it("of an application is held to the same", async () => {
    const rename = (name: string) => call("PATCH", "/application", { name })
    for (const name of INVISIBLE) expect((await rename(name)).status).toBe(400)
    expect((await rename(" Shop ")).json.name).toBe("Shop")
  })
})

describe("an e-mail address", () => {
  const WRONG = [
    "a@b..com",
    ".a@b.com",
    "a@-b-.com",
    "a@b-.com",
    "a@.b.com",
    "a@b.com.",
    "a@xn--",
    "a@xn--a.com",
    "a@b.com/x",
    "a@b%2ecom",
    "a@127.0.0.1",
    "a@0127.1",
    `a@${"b".repeat(64)}.com`,
    "a@b.com\u200b",
    "a\u200b@b.com",
    "a\u2800@b.com",
    "a@b\u00adc.com",
    "a@b.com\u202e",
    "a\u202e@b.com",
    "a@b＠c.com",
    "a@b，c.com",
    "ａ@b.com",
    "a，b@c.com"
  ]
  const RIGHT = [
    "ann+news@example.com",
    "o'brien@example.com",
    "a/b=c!#$%&*?^_`{|}~-@example.com",
    "a..b.@example.ne.jp",
    "jörg@bücher.example",
    "a@faß.example",
    "почта@кремль.рф",
    "用户@例え.テスト",
    "ಬೆಂಬಲ@ಡೇಟಾಮೇಲ್.ಭಾರತ",
    "a@xn--bcher-kva.example",
    "B@XN--BCHER-KVA.example",
    "a@क्\u200dष.example",
    "📧@example.com",
    "a@3com.example",
    "a@my_host.example",
    "root@localhost",
    "a@mailhost"
  ]
  const SURFACES: ReadonlyArray<readonly [path: string, field: string, body: (address: string) => object]> = [
    ["/channels", "address", (address) => ({ kind: "email", address })],
    ["/contacts", "email", (email) => ({ external_id: token(), email })],
    ["/notifications", "to.emails[0]", (email) => ({ to: { emails: [email] }, content: { title: "t", body: "b" } })]
  ]

  it.each(SURFACES)("to which nothing can be delivered is refused: POST %s", async (path, field, body) => {
    for (const address of WRONG) {
      const answer = await call("POST", path, body(address))
      expect([JSON.stringify(address), answer.status, answer.json.error?.details]).toEqual([
        JSON.stringify(address),
        400,
        [{ field, message: "must be an e-mail address" }]
      ])
    }
  })

  it.each(SURFACES)("of any language is taken as it is written: POST %s", async (path, _, body) => {
    for (const address of RIGHT) {
      const answer = await call("POST", path, body(address))
      expect([address, answer.status]).toEqual([address, expect.toBeOneOf([200, 201, 202])])
      if (path !== "/channels") continue
      const { json } = await server.call("GET", `/api/v1/channels/${answer.json.id}`, { key: server.ours.secretKey })
      expect(json.address).toBe(address)
    }
  })

  it("that was stored before it was refused is found", async () => {
    const address = "a@b..com"
    const id = crypto.randomUUID()
    await server.sql`
      INSERT INTO channels (app_id, id, kind, address, address_key)
      VALUES (${server.ours.appId}, ${id}, 'email', ${address}, ${address})`
    const list = await server.call("GET", `/api/v1/channels?address=${encodeURIComponent(address)}`, {
      key: server.ours.secretKey
    })
    expect([list.status, list.json.data]).toMatchObject([200, [{ id, address }]])
  })
})

describe("a sender", () => {
  const put = (from: string) => call("PUT", "/credentials/smtp", { url: "smtp://93.184.216.34:2525", from })

  it("has one address, by the rule of all addresses", async () => {
    for (const from of [
      "a,b@example.com",
      "a@b.com,",
      "a@b.com;",
      "a@b.com, c@d.com",
      "N <a(b)@example.com>",
      "N <a,b@example.com>",
      "N <a@b..com>",
      "N <a@b.com",
      "N a@b.com",
      "N <>",
      "N <a@b.com> x",
      "N <a@b.com>, M <c@d.com,>",
      "N\n <a@b.com>",
      "N\u2028 <a@b.com>",
      "N\u202e <a@b.com>"
    ]) {
      const answer = await put(from)
      expect([from, answer.status, fieldOf(answer)]).toEqual([from, 400, "from"])
    }
  })

  it("goes through a host that is written as it is called", async () => {
    const url = (host: string) => call("PUT", "/credentials/smtp", { url: `smtp://${host}:25`, from: "a@b.com" })
    for (const host of [
      "0127.0.0.1",
      "0x5d.184.216.34",
      "1572395042",
      "93.12113954",
      "%30127.0.0.1",
      "９３.184.216.34"
    ]) {
      const answer = await url(host)
      expect([host, answer.status, fieldOf(answer)]).toEqual([host, 400, "url"])
    }
    expect((await url("0127.0.0.1")).json.error.details[0].message).toContain("87.0.0.1")
    for (const host of ["93.184.216.34", "[2606:4700::1]"])
      expect([host, (await url(host)).status]).toEqual([host, 200])
  })

  it("may have any name", async () => {
    for (const from of [
      "news@example.com",
      "<news@example.com>",
      'Acme: News; (EU), "Ltd" <news@example.com>',
      "a@b.com, Evil <news@example.com>",
      "I <3 News <news@example.com>",
      '"Haus, Ex" <news+de@bücher.example>',
      "日本の店 <news@xn--bcher-kva.example>",
      "Cron <root@localhost>"
    ]) {
      expect([from, (await put(from)).status]).toEqual([from, 200])
    }
  })
})

describe("a list that is a set", () => {
  it("shows each tag of a device once", async () => {
    const tags = ["b", "a", "b"]
    const { id } = (await call("POST", "/public/devices", phone({ tags }))).json
    const read = async () =>
      (await server.call("GET", `/api/v1/devices/${id}`, { key: server.ours.secretKey })).json.tags
    expect(await read()).toEqual(["b", "a"])
    await call("PATCH", `/devices/${id}`, { tags: ["c", "c"] })
    expect(await read()).toEqual(["c"])
  })

  it("shows each event of a webhook once, however often it was named", async () => {
    const events = ["NOTIFICATION_SENT", "NOTIFICATION_FAILED", "NOTIFICATION_SENT"]
    const made = await call("POST", "/webhooks", webhook({ events }))
    expect([made.status, made.json.events]).toEqual([201, ["NOTIFICATION_SENT", "NOTIFICATION_FAILED"]])
    const changed = await call("PATCH", `/webhooks/${made.json.id}`, { events: Array(9).fill("NOTIFICATION_OPENED") })
    expect(changed.json.events).toEqual(["NOTIFICATION_OPENED"])
    const unknown = await call("POST", "/webhooks", webhook({ events: [...events, "NOTIFICATION_LOST"] }))
    expect([unknown.status, fieldOf(unknown)]).toEqual([400, "events[3]"])
  })
})

describe("the bytes of a body", () => {
  const post = (raw: string | Uint8Array<ArrayBuffer>, type = "application/json", path = "/webhooks") =>
    server.call("POST", `/api/v1${path}`, { key: server.ours.secretKey, raw, headers: { "content-type": type } })
  const LATIN = Buffer.from('{"external_id":"J\u00f6rg"}', "latin1")
  const contact = () => JSON.stringify({ external_id: `J\u00f6rg ${token()}` })

  it.each([
    "application/json;charset=iso-8859-1",
    'application/json; charset="ISO-8859-1"',
    "application/json; Charset = latin1",
    "application/json; version=1; charset=utf-16",
    "application/json; charset=us-ascii",
    "application/json; charset=utf-8; charset=utf-16",
    "application/json; charset="
  ])("are UTF-8: %s is 415", async (type) => {
    const answer = await post(contact(), type, "/contacts")
    expect([answer.status, answer.json.error.code]).toEqual([415, "unsupported_media_type"])
    expect(answer.json.error.message).toContain("UTF-8")
    const lines = await post(contact(), type.replace("json", "x-ndjson"), "/contacts/import")
    expect(lines.status).toBe(415)
  })

  it.each([
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json ; charset=UTF8",
    "APPLICATION/JSON",
    "application/json; version=1",
    "application/json;"
  ])("are taken as %s", async (type) => {
    expect((await post(contact(), type, "/contacts")).status).toBe(201)
  })

  it("may begin with a byte order mark, which is no part of them", async () => {
    for (const path of ["/contacts", "/public/devices"]) {
      const body = path === "/contacts" ? contact() : JSON.stringify(phone({}))
      expect((await post(`\ufeff${body}`, "application/json", path)).status).toBe(201)
      expect((await post(`\ufeff\ufeff${body}`, "application/json", path)).status).toBe(400)
    }
    const empty = await post("\ufeff", "application/json", "/contacts")
    expect(empty.json.error.details).toEqual([{ field: "body", message: "is empty; send a JSON object" }])
  })

  it.each([
    ["of another encoding", LATIN],
    ["of UTF-16 with its mark", Buffer.from(`\ufeff${contact()}`, "utf16le")],
    ["of a surrogate", Buffer.from([...Buffer.from('{"external_id":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])],
    ["that are cut inside a character", Buffer.from(contact()).subarray(0, 18)]
  ])("%s are 400", async (_, bytes) => {
    const answer = await post(Uint8Array.from(bytes), "application/json", "/contacts")
    expect([answer.status, answer.json.error.details[0].field]).toEqual([400, "body"])
  })
})

describe("two requests with one Idempotency-Key", () => {
  const post = (key: string, raw: string, path = "/contacts") =>
    server.call("POST", `/api/v1${path}`, {
      key: server.ours.secretKey,
      raw,
      headers: { "content-type": "application/json", "idempotency-key": key }
    })
  const FIRST = '{"external_id":"ann","attributes":{"a":1,"b":[1,{"x":1,"y":2}],"10":0,"9":0},"tags":["t"]}'

  it.each([
    [
      "other white space",
      '\n{ "external_id" : "ann",\t"attributes":{"a":1,"b":[1,{"x":1,"y":2}],"10":0,"9":0},\r\n"tags":["t"]} '
    ],
    [
      "another order of keys",
      '{"tags":["t"],"attributes":{"9":0,"10":0,"b":[1,{"y":2,"x":1}],"a":1},"external_id":"ann"}'
    ],
    [
      "other escapes",
      '{"external_id":"\\u0061nn","attributes":{"a":1,"b":[1,{"x":1,"y":2}],"10":0,"9":0},"tags":["t"]}'
    ],
    ["numbers written in another way", FIRST.replace('"a":1', '"a":1.0e0')],
    ["a byte order mark", `\ufeff${FIRST}`]
  ])("say the same with %s", async (_, raw) => {
    const key = token()
    const first = await post(key, FIRST)
    expect(first.status).toBe(201)
    const again = await post(key, raw)
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"])
    expect(again.text).toBe(first.text)
  })

  it.each([
    ["another value", FIRST.replace('"a":1', '"a":2')],
    ["another type", FIRST.replace('"a":1', '"a":"1"')],
    ["another order in a list", FIRST.replace('[1,{"x":1,"y":2}]', '[{"x":1,"y":2},1]')],
    ["a key more", FIRST.replace('"a":1', '"a":1,"c":null')],
    ["keys and values moved", FIRST.replace('"10":0,"9":0', '"1":0,"09":0')],
    ["what is no JSON any more", FIRST.slice(0, -1)]
  ])("do not say the same with %s", async (_, raw) => {
    const key = token()
    await post(key, FIRST)
    const other = await post(key, raw)
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"])
  })

  it("say the same when what they say is wrong, be it JSON or not", async () => {
    for (const [raw, again] of [
      ['{"external_id":7}', '{ "external_id": 7 }'],
      ["nonsense", "nonsense"]
    ] as const) {
      const key = token()
      const first = await post(key, raw)
      const second = await post(key, again)
      expect([first.status, second.status, second.headers.get("idempotent-replayed")]).toEqual([400, 400, "true"])
    }
  })
})
