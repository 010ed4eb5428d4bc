import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Answer, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const call = (method: string, path: string, body?: unknown, key = server.ours.secretKey) =>
  server.call(method, `/api/v1/segments${path}`, { key, ...(body === undefined ? {} : { body }) })
const post = (path: string, body: unknown, key = server.ours.secretKey) =>
  server.call("POST", `/api/v1/notifications${path}`, { key, body })
const fieldsOf = (answer: { json: { error: { details: Array<{ field: string }> } } }) =>
  answer.json.error.details.map(({ field }) => field)

const QUIET = { name: "Quiet", filter: { tags_any: ["news"], last_seen: { not_within_days: 30 } } }

/** Devices of an application, each with what is said of it. */
const register = async (key: string, ...devices: ReadonlyArray<object>): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (const device of devices) {
    const body = { platform: "ios", token: crypto.randomUUID().replaceAll("-", ""), ...device }
    ids.push((await server.call("POST", "/api/v1/public/devices", { key, body })).json.id)
  }
  return ids
}
const contact = (key: string, body: object) => server.call("POST", "/api/v1/contacts", { key, body })

describe("segments", () => {
  it("are made, read, changed, listed, counted and removed", async () => {
    const key = server.ours.secretKey
    const made = await call("POST", "", QUIET)
    expect(made.status).toBe(201)
    const path = `/${made.json.id}`
    expect((await call("GET", path)).json).toEqual(made.json)
    expect((await call("PATCH", path, { name: "Silent" })).json).toMatchObject({ ...QUIET, name: "Silent" })
    expect((await call("GET", "")).json.data).toHaveLength(1)
    const [first, second, other] = await register(key, { tags: ["news"] }, { tags: ["news"] }, { tags: ["none"] })
    const longAgo = await server.sql`
      UPDATE devices SET last_seen_at = now() - interval '31 days' WHERE id IN (${first}, ${second}, ${other}) RETURNING id`
    expect(longAgo).toHaveLength(3)
    await register(key, { tags: ["news"] })
    await contact(key, { external_id: "ann", email: "ann@example.com", tags: ["news"] })
    await contact(key, { external_id: "bob", email: "bob@example.com", tags: ["none"] })
    expect((await call("GET", `${path}/count`)).json).toEqual({
      recipients: 3,
      devices: 2,
      emails: 1,
      is_exact: true
    })
    const asked = server.outage.calls.findLast(({ operation }) => operation === "AudienceStore.count")
    expect(asked?.given[1]).toEqual({ segment_id: made.json.id, filter: QUIET.filter })
    expect((await call("DELETE", path)).json).toEqual({ deleted: true })
    expect((await call("GET", path)).status).toBe(404)
  })

  it("are never another application's", async () => {
    const { json } = await call("POST", "", QUIET)
    for (const [method, path, body] of [
      ["GET", `/${json.id}`],
      ["GET", `/${json.id}/count`],
      ["PATCH", `/${json.id}`, { name: "Theirs" }],
      ["DELETE", `/${json.id}`]
    ] as const) {
      expect((await call(method, path, body, server.theirs.secretKey)).status).toBe(404)
    }
  })

  it.each([
    ["no condition", {}, "filter"],
    ["an unknown condition", { tag: ["a"] }, "filter.tag"],
    ["an unknown operator", { attributes: [{ name: "a", op: "is", value: 1 }] }, "filter.attributes[0].op"],
    ["no value", { attributes: [{ name: "a", op: "equals" }] }, "filter.attributes[0].value"],
    ["a value too many", { attributes: [{ name: "a", op: "exists", value: 1 }] }, "filter.attributes[0].value"],
    [
      "a value that cannot be compared",
      { attributes: [{ name: "a", op: "less", value: true }] },
      "filter.attributes[0].value"
    ],
    ["a list that is none", { attributes: [{ name: "a", op: "in", value: "b" }] }, "filter.attributes[0].value"],
    ["an object as value", { attributes: [{ name: "a", op: "equals", value: {} }] }, "filter.attributes[0].value"],
    ["an empty last_seen", { last_seen: {} }, "filter.last_seen"],
    ["no days", { engagement: [{ type: "opened" }] }, "filter.engagement[0].within_days"],
    ["an unknown engagement", { engagement: [{ type: "read", within_days: 1 }] }, "filter.engagement[0].type"],
    ["a time zone that is none", { timezones: ["Berlin"] }, "filter.timezones[0]"],
    ["an empty list", { platforms: [] }, "filter.platforms"]
  ])("are refused with %s", async (_, filter, field) => {
    const answer = await call("POST", "", { name: "a", filter })
    expect(answer.status).toBe(400)
    expect(fieldsOf(answer)).toContain(field)
  })
})

describe("who is in a segment", () => {
  const listOf = (what: string, key: string, query: Record<string, string>) =>
    server.call("GET", `/api/v1/${what}?${new URLSearchParams(query).toString()}`, { key })

  const TIERS = ["gold", "silver", "gold", "gold"]
  /** Members with a device each, and a segment of those with gold. */
  const members = async () => {
    const { appId, secretKey: key } = await server.makeTenant()
    for (const [i, tier] of TIERS.entries()) {
      const external_id = `member-${i}`
      await contact(key, { external_id, attributes: { tier }, tags: i === 0 ? ["first"] : [] })
      await register(key, { user_id: external_id, tags: ["member"], ...(i === 0 ? {} : { platform: "android" }) })
    }
    const filter = { attributes: [{ name: "tier", op: "equals", value: "gold" }] }
    const { json } = await call("POST", "", { name: "Gold", filter }, key)
    return { appId, key, segment_id: json.id as string }
  }

  it("is listed page by page, people and devices, beside other filters, and exported", async () => {
    const { key, segment_id } = await members()
    const walk = async (what: string, of: string) => {
      const found: Array<string> = []
      let cursor: string | null = null
      do {
        const { json }: Answer = await listOf(what, key, {
          segment_id,
          limit: "2",
          ...(cursor === null ? {} : { cursor })
        })
        found.push(...json.data.map((one: Record<string, string>) => one[of]))
        cursor = json.next_cursor
      } while (cursor !== null)
      return found.toSorted()
    }
    const gold = ["member-0", "member-2", "member-3"]
    expect(await walk("contacts", "external_id")).toEqual(gold)
    expect(await walk("devices", "user_id")).toEqual(gold)
    const idsOf = ({ json }: Answer) => json.data.map((one: any) => one.external_id ?? one.user_id)
    expect(idsOf(await listOf("contacts", key, { segment_id, tag: "first" }))).toEqual(["member-0"])
    expect(idsOf(await listOf("contacts", key, { segment_id, external_id: "member-1" }))).toEqual([])
    expect(idsOf(await listOf("devices", key, { segment_id, platform: "ios" }))).toEqual(["member-0"])
    const lines = (await listOf("devices/export", key, { segment_id })).text.trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line).user_id).toSorted()).toEqual(gold)
  })

  it("is not looked for by a search, and not in what is no segment of the application", async () => {
    const { key, segment_id } = await members()
    const beside = await listOf("contacts", key, { segment_id, search: "member" })
    expect([beside.status, beside.json.error.code, fieldsOf(beside)]).toEqual([400, "validation_error", ["search"]])
    const other = await server.makeTenant()
    for (const what of ["contacts", "devices", "devices/export"]) {
      for (const [id, as] of [
        [uuidv7(), key],
        [segment_id, other.secretKey]
      ] as const) {
        const { json, status } = await listOf(what, as, { segment_id: id })
        expect([what, status, json.error.code, json.error.details]).toEqual([
          what,
          400,
          "validation_error",
          [{ field: "segment_id", message: "is no segment of this application" }]
        ])
      }
      expect((await listOf(what, key, { segment_id: "nonsense" })).status).toBe(400)
    }
  })

  it("is told by GraphQL as well, whose pages go on behind one that is empty", async () => {
    const { appId, key, segment_id } = await members()
    const ask = async (query: string, variables: object) =>
      (await server.call("POST", "/api/graphql", { key, body: { query, variables } })).json
    const { data } = await ask(
      `query($appId: ID!, $segmentId: ID) {
        contacts(appId: $appId, segmentId: $segmentId) { nodes { externalId } pageInfo { hasNextPage } }
        devices(appId: $appId, segmentId: $segmentId, platform: IOS) { nodes { userId } }
      }`,
      { appId, segmentId: segment_id }
    )
    expect(data.contacts.nodes.map(({ externalId }: any) => externalId).toSorted()).toEqual([
      "member-0",
      "member-2",
      "member-3"
    ])
    expect(data.contacts.pageInfo.hasNextPage).toBe(false)
    expect(data.devices.nodes).toEqual([{ userId: "member-0" }])
    const { errors } = await ask(
      "query($appId: ID!, $segmentId: ID) { contacts(appId: $appId, segmentId: $segmentId) { nodes { id } } }",
      { appId, segmentId: uuidv7() }
    )
    expect(errors[0].extensions).toMatchObject({
      code: "validation_error",
      details: [{ field: "segmentId", message: "is no segment of this application" }]
    })

    // More who are not in it, before the one who is, than a page looks through.
    await server.sql`INSERT INTO contacts (id, app_id, external_id)
      SELECT (lpad(to_hex(n), 8, '0') || right(gen_random_uuid()::text, 28))::uuid, ${appId}, 'p' || n
      FROM generate_series(1, 106000) AS n`
    const pages = `query($appId: ID!, $segmentId: ID, $after: String) {
      contacts(appId: $appId, segmentId: $segmentId, after: $after) { nodes { externalId } pageInfo { hasNextPage endCursor } }
    }`
    const found: Array<string> = []
    let after: string | null = null
    let isFirstEmpty = false
    for (let hasNext = true; hasNext;) {
      const { contacts }: any = (await ask(pages, { appId, segmentId: segment_id, after })).data
      if (after === null) isFirstEmpty = contacts.nodes.length === 0
      found.push(...contacts.nodes.map(({ externalId }: any) => externalId))
      after = contacts.pageInfo.endCursor
      hasNext = contacts.pageInfo.hasNextPage
    }
    expect([isFirstEmpty, found.toSorted()]).toEqual([true, ["member-0", "member-2", "member-3"]])
  })
})

describe("notifications to a segment", () => {
  it("keep its conditions as they were", async () => {
    const { json } = await call("POST", "", QUIET)
    const to = { segment_id: json.id }
    const sent = await post("", { to, content: { title: "Hi" } })
    expect(sent.status).toBe(202)
    await call("PATCH", `/${json.id}`, { filter: { tags_any: ["other"] } })
    const [kept] = await server.sql`SELECT request FROM notifications WHERE id = ${sent.json.id}`
    expect(kept.request.to).toEqual({ ...to, filter: QUIET.filter })
  })

  it.each([
    ["an unknown segment", { segment_id: uuidv7() }, "to.segment_id"],
    ["a segment and tags", { segment_id: uuidv7(), tags_any: ["a"] }, "to"],
    ["conditions of its own", { segment_id: uuidv7(), filter: {} }, "to.filter"]
  ])("are refused for %s", async (_, to, field) => {
    const answer = await post("", { to, content: { title: "Hi" } })
    expect(answer.status).toBe(400)
    expect(fieldsOf(answer)).toContain(field)
  })

  it("may describe contacts by locale and attributes as well", async () => {
    const to = { tags_any: ["a"], locale: "de", attributes: [{ name: "plan", op: "equals", value: "pro" }] }
    expect((await post("", { to, content: { title: "Hi" } })).status).toBe(202)
  })
})

describe("POST /api/v1/notifications/preview", () => {
  it("says how many, whether they can be reached, how large and what, and stores nothing", async () => {
    const key = (await server.makeTenant()).secretKey
    await register(key, {}, {}, { platform: "android" })
    const before = await server.count("notifications")
    const answer = await post("/preview", { to: { all: true }, content: { title: "Hello" } }, key)
    expect(answer.json).toEqual({
      recipients: 3,
      is_exact: true,
      skipped: null,
      providers: [
        {
          provider: "apns",
          recipients: 2,
          credential: "missing",
          payload: { bytes: expect.any(Number), limit: 4096, fits: true },
          sample: { title: "Hello" },
          problem: null
        },
        expect.objectContaining({ provider: "fcm", recipients: 1 })
      ]
    })
    expect(await server.count("notifications")).toBe(before)
  })

  it("fills a template for somebody of the audience, and says where it cannot be filled", async () => {
    const key = (await server.makeTenant()).secretKey
    await contact(key, { external_id: "ada", attributes: { name: "Ada" } })
    await register(key, { user_id: "ada" }, { platform: "android" })
    const draft = { name: "a", content: { title: "Hi {{ contact.attributes.name }}", body: "{{ text }}" } }
    const { json } = await server.call("POST", "/api/v1/templates", { key, body: draft })
    const body = { to: { all: true }, template_id: json.id, variables: { text: "x".repeat(5000) } }
    const { providers } = (await post("/preview", body, key)).json
    expect(providers[0]).toMatchObject({
      sample: { title: "Hi Ada" },
      payload: { limit: 4096, fits: false },
      problem: null
    })
    expect(providers[1]).toMatchObject({
      provider: "fcm",
      sample: null,
      payload: null,
      problem: { code: "missing_variable", field: "content.title" }
    })
  })

  it("refuses what sending would refuse", async () => {
    expect(fieldsOf(await post("/preview", { to: { all: true }, template_id: uuidv7() }))).toEqual(["template_id"])
    expect(fieldsOf(await post("/preview", { to: {}, content: { title: "a" } }))).toEqual(["to"])
    expect(
      fieldsOf(
        await post("/preview", {
          to: { all: true },
          content: { url: "https://a.example/", data: { x: "y".repeat(4000) } }
        })
      )
    ).toEqual(["content"])
  })
})
