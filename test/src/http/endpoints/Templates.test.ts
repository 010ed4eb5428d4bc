import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const call = (method: string, path: string, body?: unknown, key = server.ours.secretKey) =>
  server.call(method, `/api/v1/templates${path}`, { key, ...(body === undefined ? {} : { body }) })

const send = (body: unknown) => server.call("POST", "/api/v1/notifications", { key: server.ours.secretKey, body })
const lastRequest = async () =>
  (await server.sql`SELECT request FROM notifications ORDER BY created_at DESC LIMIT 1`)[0].request
const fieldsOf = (answer: { json: { error: { details: Array<{ field: string }> } } }) =>
  answer.json.error.details.map(({ field }) => field)

const HELLO = { name: "Hello", content: { title: "Hello {{ name }}" } }
const make = async (draft: unknown = HELLO): Promise<string> => (await call("POST", "", draft)).json.id

describe("templates", () => {
  it("are made, read, changed part by part with a new version, listed and removed", async () => {
    const made = await call("POST", "", HELLO)
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ ...HELLO, version: 1, locales: {}, missing_variables: "error" })
    const path = made.headers.get("location")!.replace("/api/v1/templates", "")
    expect((await call("GET", path)).json).toEqual(made.json)
    const changed = await call("PATCH", path, { locales: { de: { title: "Hallo" } }, missing_variables: "empty" })
    expect(changed.json).toMatchObject({ ...HELLO, version: 2, missing_variables: "empty" })
    expect((await call("GET", "")).json.data.map(({ id }: { id: string }) => id)).toContain(made.json.id)
    expect((await call("DELETE", path)).json).toEqual({ deleted: true })
    expect((await call("GET", path)).status).toBe(404)
  })

  it("tell what cannot be read with line and column, when they are made, changed and previewed", async () => {
    const id = await make()
    const wrong = { content: { title: "Hello", html: "<p>\n  {{ name | shout }}</p>" } }
    for (const [method, path, body] of [
      ["POST", "", { name: "Wrong", ...wrong }],
      ["PATCH", `/${id}`, wrong],
      ["POST", "/preview", wrong]
    ] as const) {
      const answer = await call(method, path, body)
      expect(answer.status).toBe(400)
      expect(answer.json.error.details).toEqual([
        {
          field: "content.html",
          line: 2,
          column: 3,
          message: "cannot be read as Liquid: undefined filter: shout (line 2, column 3)"
        }
      ])
    }
    expect((await call("GET", `/${id}`)).json.version).toBe(1)
  })

  it("refuse names in their data that providers keep for themselves, in every language", async () => {
    const id = await make()
    const data = { "{{ a }}": 1, from: "{{ name }}" }
    for (const [method, path] of [
      ["POST", ""],
      ["PATCH", `/${id}`],
      ["POST", "/preview"]
    ] as const) {
      const draft = path === "" ? HELLO : { content: HELLO.content }
      const inContent = await call(method, path, { ...draft, content: { ...HELLO.content, data } })
      expect([inContent.status, fieldsOf(inContent)]).toEqual([400, ["content.data.from"]])
      const inLocale = await call(method, path, { ...draft, locales: { de: { data: { "google.x": 1 } } } })
      expect([inLocale.status, fieldsOf(inLocale)]).toEqual([400, ["locales.de.data.google.x"]])
    }
  })

  it.each([
    ["no name", { content: { title: "a" } }, "name"],
    ["nothing to say", { name: "a", content: {} }, "content"],
    ["a language that is none", { name: "a", content: { title: "a" }, locales: { "german!": {} } }, "locales.german!"],
    ["an unknown part", { name: "a", content: { titel: "a" } }, "content.titel"],
    ["an unknown setting", { name: "a", content: { title: "a" }, missing_variables: "blank" }, "missing_variables"],
    ["a language twice", { name: "a", content: { title: "a" }, locales: { de: {}, DE: {} } }, "locales"]
  ])("are refused with %s", async (_, body, field) => {
    const answer = await call("POST", "", body)
    expect(answer.status).toBe(400)
    expect(fieldsOf(answer)).toContain(field)
  })

  it("are refused at once with a filter that takes an expression as text, which is named", async () => {
    const title = `{% assign e = "arr | has_exp: 'y', 'y == 2'" %}{{ arr | has_exp: "x", e }}`
    for (const [path, body] of [
      ["", { name: "Wrong", content: { title } }],
      ["/preview", { content: { title }, variables: { arr: Array.from({ length: 1000 }, (_, i) => i) } }]
    ] as const) {
      const answer = await call("POST", path, body)
      expect(answer.status).toBe(400)
      expect(fieldsOf(answer)).toEqual(["content.title"])
      expect(answer.json.error.details[0].message).toContain("undefined filter: has_exp")
    }
  })

  it("that an earlier release saved and this one cannot read say so, and are no unknown ones", async () => {
    const id = await make()
    const content = JSON.stringify({ title: "{{ names | find_exp: 'x', 'x' }}" })
    await server.sql`
      WITH saved AS (
        INSERT INTO template_versions (id, app_id, body)
        SELECT ${uuidv7()}::uuid, v.app_id, jsonb_set(v.body::jsonb, '{content}', ${content}::text::jsonb)::json
        FROM templates t JOIN template_versions v ON v.id = t.version_id WHERE t.id = ${id}
        RETURNING id
      )
      UPDATE templates SET version_id = saved.id FROM saved WHERE templates.id = ${id}`
    const sent = await send({ to: { all: true }, template_id: id })
    expect(sent.status).toBe(400)
    expect(sent.json.error.details).toEqual([
      {
        field: "template_id",
        message: expect.stringMatching(/cannot be read any longer.*content\.title.*find_exp/)
      }
    ])
    expect((await call("POST", `/${id}/preview`, {})).json.error.details[0]).toMatchObject({
      field: "content.title",
      line: 1
    })
  })

  it("keep a change that others of other processes come before, however often they do", async () => {
    const id = await make()
    let others = 0
    server.outage.before = (operation) =>
      Effect.suspend(() => {
        if (operation !== "TemplateStore.update" || others >= 10) return Effect.void
        others++
        // As it is done in their process, whose turns are not ours.
        return Effect.promise(
          () => server.sql`UPDATE templates SET version = version + 1, name = ${`Renamed ${others}`} WHERE id = ${id}`
        )
      })
    const answer = await call("PATCH", `/${id}`, { content: { title: "Changed" } })
    server.outage.before = () => Effect.void
    expect(answer.json).toMatchObject({ name: "Renamed 10", content: { title: "Changed" }, version: 12 })
  })

  it("are changed as the version that was looked at, or not at all", async () => {
    const id = await make()
    const first = await call("PATCH", `/${id}`, { version: 1, content: { title: "Mine" } })
    expect([first.status, first.json.version]).toEqual([200, 2])
    const second = await call("PATCH", `/${id}`, { version: 1, content: { title: "Theirs" } })
    expect([second.status, second.json.error.code]).toEqual([409, "conflict"])
    expect(second.json.error.message).toContain("version 2")
    expect((await call("GET", `/${id}`)).json.content).toEqual({ title: "Mine" })
    // Whose answer was lost may ask again.
    const again = await call("PATCH", `/${id}`, { version: 1, content: { title: "Mine" } })
    expect([again.status, again.json.version]).toEqual([200, 2])
  })

  it("show their versions, each with who made it, until they are removed", async () => {
    const id = await make()
    await call("PATCH", `/${id}`, { name: "Renamed", locales: { de: { title: "Hallo" } } })
    const { data } = (await call("GET", `/${id}/versions`)).json
    expect(data).toMatchObject([
      { version: 2, name: "Renamed", actor: { kind: "key", email: null } },
      { version: 1, name: "Hello", actor: { kind: "key", email: null } }
    ])
    const first = (await call("GET", `/versions/${data[1].id}`)).json
    expect(first).toMatchObject({ ...HELLO, template_id: id, version: 1, locales: {}, missing_variables: "error" })
    for (const path of [`/${id}/versions`, `/versions/${data[0].id}`]) {
      expect((await call("GET", path, undefined, server.theirs.secretKey)).status).toBe(404)
    }
    await call("DELETE", `/${id}`)
    for (const path of [`/${id}/versions`, `/versions/${data[0].id}`])
      expect((await call("GET", path)).status).toBe(404)
  })

  it("are never another application's", async () => {
    const id = await make()
    for (const [method, path, body] of [
      ["GET", `/${id}`],
      ["PATCH", `/${id}`, { name: "Theirs" }],
      ["DELETE", `/${id}`],
      ["POST", `/${id}/preview`, {}]
    ] as const) {
      expect((await call(method, path, body, server.theirs.secretKey)).status).toBe(404)
    }
    const { status } = await server.call("POST", "/api/v1/notifications", {
      key: server.theirs.secretKey,
      body: { to: { all: true }, template_id: id }
    })
    expect(status).toBe(400)
    expect((await call("GET", `/${id}`)).json.name).toBe("Hello")
  })
})

describe("previews of templates", () => {
  const sources = {
    content: { title: "Hello {{ contact.attributes.name }}", body: "{{ order }}" },
    locales: { de: { title: "Hallo {{ contact.attributes.name }}" } }
  }
  const example = { locale: "de-AT", variables: { order: "No. 1" }, contact: { attributes: { name: "Ada" } } }

  it("fill what is saved and what is not alike", async () => {
    const id = await make({ name: "a", ...sources })
    const expected = { language: "de", content: { title: "Hallo Ada", body: "No. 1" } }
    expect((await call("POST", `/${id}/preview`, example)).json).toEqual(expected)
    expect((await call("POST", "/preview", { ...sources, ...example })).json).toEqual(expected)
    const { locale: _, ...noLocale } = example
    expect((await call("POST", `/${id}/preview`, noLocale)).json).toMatchObject({
      language: null,
      content: { title: "Hello Ada" }
    })
  })

  it("take the language of the contact that is given, unless a locale stands beside it", async () => {
    const texts = { content: { title: "en" }, locales: { pt: { title: "pt" }, de: { title: "de" } } }
    const id = await make({ name: "a", ...texts })
    const contact = { locale: "pt-BR" }
    for (const fill of [
      (body: object) => call("POST", "/preview", { ...texts, ...body }),
      (body: object) => call("POST", `/${id}/preview`, body)
    ]) {
      expect((await fill({ contact })).json).toEqual({ language: "pt", content: { title: "pt" } })
      expect((await fill({ contact, locale: "de-AT" })).json).toMatchObject({ language: "de" })
      expect((await fill({ contact, locale: null })).json).toMatchObject({ language: null })
      // As GET /contacts/:id shows somebody whose language is not known.
      expect((await fill({ contact: { locale: null } })).json).toMatchObject({ language: null })
      const refused = await fill({ contact: { locale: "german!" } })
      expect([refused.status, fieldsOf(refused)]).toEqual([400, ["contact.locale"]])
    }
  })

  it("name the language that was taken as the template does", async () => {
    const texts = { content: { title: "en" }, locales: { "pt-BR": { title: "pt" }, "ZH-hant": { title: "zh" } } }
    const id = await make({ name: "a", ...texts })
    for (const fill of [
      (locale: string) => call("POST", "/preview", { ...texts, locale }),
      (locale: string) => call("POST", `/${id}/preview`, { locale })
    ]) {
      expect((await fill("pt-br")).json).toMatchObject({ language: "pt-BR", content: { title: "pt" } })
      expect((await fill("zh-Hant-TW")).json).toMatchObject({ language: "ZH-hant", content: { title: "zh" } })
    }
  })

  it("are filled with what is known of a contact, and of the device of theirs that was seen last", async () => {
    const contact = { external_id: "preview-ada", attributes: { name: "Ada" }, locale: "de-AT" }
    const key = server.ours.secretKey
    const { id } = (await server.call("POST", "/api/v1/contacts", { key, body: contact })).json
    for (const platform of ["ios", "android"]) {
      const token = (platform === "ios" ? "ab" : "preview-").repeat(32)
      const line = JSON.stringify({ platform, token, user_id: contact.external_id })
      await server.call("POST", "/api/v1/devices/import", {
        key,
        raw: line,
        headers: { "content-type": "application/x-ndjson" }
      })
    }
    const sources = {
      content: { title: "Hello {{ contact.attributes.name }}", body: "{{ device.platform }}" },
      locales: { de: { title: "Hallo {{ contact.attributes.name }}" } }
    }
    const saved = await make({ name: "a", ...sources })
    for (const fill of [
      (body: object) => call("POST", "/preview", { ...sources, ...body }),
      (body: object) => call("POST", `/${saved}/preview`, body)
    ]) {
      const filled = { language: "de", content: { title: "Hallo Ada", body: "android" } }
      expect((await fill({ contact_id: id })).json).toEqual(filled)
      expect((await fill({ contact_id: id, locale: null, device: { platform: "ios" } })).json).toEqual({
        language: null,
        content: { title: "Hello Ada", body: "ios" }
      })
      const both = await fill({ contact_id: id, contact: {} })
      expect([both.status, fieldsOf(both)]).toEqual([400, ["contact"]])
      const unknown = await fill({ contact_id: uuidv7() })
      expect([unknown.status, fieldsOf(unknown)]).toEqual([400, ["contact_id"]])
    }
    const theirs = await call("POST", "/preview", { ...sources, contact_id: id }, server.theirs.secretKey)
    expect([theirs.status, fieldsOf(theirs)]).toEqual([400, ["contact_id"]])
  })

  it("let everybody else be answered while one of them takes too long", async () => {
    const nested =
      "{% assign a = '1,2' | split: ',' %}{% for i in (1..40) %}{% assign b = a | slice: 0, 0 | push: a | push: a %}{% assign a = b %}{% endfor %}{{ a }}"
    let isDone = false
    const attack = call("POST", "/preview", { content: { body: nested } }).finally(() => (isDone = true))
    let answered = 0
    while (true) {
      const health = await Promise.race([attack, server.call("GET", "/healthz")])
      if (isDone) break
      expect(health.status).toBe(200)
      answered++
    }
    expect(answered).toBeGreaterThan(5)
    const answer = await attack
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([
      { field: "content.body", message: "cannot be filled: takes too long, and was ended" }
    ])
  })

  it("name what is missing", async () => {
    const answer = await call("POST", "/preview", { ...sources, variables: { order: "1" } })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([
      { field: "content.title", message: "asks for contact.attributes.name, which is missing" }
    ])
  })
})

describe("notifications with a template", () => {
  it("are previewed for inboxes as their readers would see them, and no reader is made by it", async () => {
    const template_id = await make({
      name: "inbox",
      content: { title: "Hi {{ contact.attributes.name | default: contact.external_id }}" }
    })
    const key = server.ours.secretKey
    const contacts = ["a", "b", "c"].map((name) => ({
      external_id: `inbox-${name}`,
      attributes: { name },
      tags: [`inbox-${name}`]
    }))
    await server.call("POST", "/api/v1/contacts/bulk", { key, body: { contacts } })
    const { status } = await server.call("PATCH", "/api/v1/contacts/by-external-id/inbox-a/preferences", {
      key,
      body: { inbox: false }
    })
    expect(status).toBe(200)
    const rows = async () => [
      (await server.sql`SELECT count(*)::integer AS n FROM channels`)[0].n,
      (await server.sql`SELECT count(*)::integer AS n FROM contacts`)[0].n
    ]
    const before = await rows()
    const shown = async (to: object) => {
      const body = { to, ...("channel_ids" in to ? {} : { channels: ["inbox"] }), template_id }
      const { json } = await server.call("POST", "/api/v1/notifications/preview", { key, body })
      return json.providers.map(({ problem, sample }: { problem: unknown; sample: unknown }) => ({ problem, sample }))
    }
    const of = (name: string) => [{ problem: null, sample: { title: `Hi ${name}` } }]
    expect(await shown({ user_ids: ["inbox-a", "inbox-b"] })).toEqual(of("b"))
    expect(await shown({ tags_any: ["inbox-a", "inbox-c"] })).toEqual(of("c"))
    expect(await shown({ user_ids: ["inbox-nobody-yet"] })).toEqual(of("inbox-nobody-yet"))
    expect(await shown({ user_ids: ["inbox-a"] })).toEqual([])
    // Who wants nothing gets nothing, and is no example.
    expect(await shown({ user_ids: ["inbox-a", "inbox-nobody-yet"] })).toEqual(of("inbox-nobody-yet"))
    expect(await rows()).toEqual(before)

    const inbox = { kind: "inbox", user_id: "inbox-c" }
    const { id } = (await server.call("POST", "/api/v1/channels", { key, body: inbox })).json
    expect(await shown({ channel_ids: [id] })).toEqual(of("c"))
  })

  it("are previewed for inboxes as what would stand there, with the size of its data", async () => {
    const key = server.ours.secretKey
    const content = {
      subject: "S {{ contact.external_id }}",
      html: "<p>x</p>",
      data: { d: "{% for i in (1..2000) %}ü{% endfor %}" }
    }
    const template_id = await make({ name: "large", content })
    const body = { to: { user_ids: ["inbox-d"] }, channels: ["inbox"], template_id }
    const { json } = await server.call("POST", "/api/v1/notifications/preview", { key, body })
    expect(json.providers).toMatchObject([{ payload: { bytes: 4008, limit: 4096, fits: true } }])
    expect(json.providers[0].sample).toEqual({ title: "S inbox-d", data: { d: "ü".repeat(2000) } })
    const larger = { ...content, data: { d: "{% for i in (1..2050) %}ü{% endfor %}" } }
    const unfit = { ...body, template_id: await make({ name: "larger", content: larger }) }
    const shown = (await server.call("POST", "/api/v1/notifications/preview", { key, body: unfit })).json
    expect(shown.providers).toMatchObject([{ payload: { bytes: 4108, limit: 4096, fits: false } }])
  })

  it("are previewed for addresses and e-mail channels as those would see them who get something", async () => {
    const key = server.ours.secretKey
    const template_id = await make({
      name: "mail",
      content: { subject: "Hi {{ contact.attributes.name | default: contact.email }}", body: "x" }
    })
    const contact = { external_id: "mail-a", email: "mail-a@example.com", attributes: { name: "A" } }
    await server.call("POST", "/api/v1/contacts", { key, body: contact })
    const channelOf = async (address: string) =>
      (await server.call("POST", "/api/v1/channels", { key, body: { kind: "email", address } })).json.id as string
    const gone = await channelOf("mail-gone@example.com")
    await server.call("PATCH", `/api/v1/channels/${gone}`, { key, body: { status: "unsubscribed" } })
    const rows = async () => (await server.sql`SELECT count(*)::integer AS n FROM channels`)[0].n
    const subjectFor = async (to: object) => {
      const { json } = await server.call("POST", "/api/v1/notifications/preview", { key, body: { to, template_id } })
      return json.providers.map(({ sample }: { sample: { subject: string } | null }) => sample?.subject)
    }
    const before = await rows()
    expect(await subjectFor({ emails: ["mail-gone@example.com", "Mail-A@example.com"] })).toEqual(["Hi A"])
    expect(await subjectFor({ emails: ["mail-gone@example.com", "new@example.com"] })).toEqual(["Hi new@example.com"])
    expect(await rows()).toBe(before)
    const theirs = await channelOf("mail-a@example.com")
    expect(await subjectFor({ channel_ids: [gone, theirs] })).toEqual(["Hi A"])
  })

  it("that says the same to everybody are filled when they are accepted", async () => {
    const id = await make()
    const answer = await send({ to: { all: true }, template_id: id, variables: { name: "all" } })
    expect(answer.status).toBe(202)
    const filled = { to: { all: true }, template_id: id, variables: { name: "all" }, content: { title: "Hello all" } }
    expect(await lastRequest()).toEqual(filled)
    await call("PATCH", `/${id}`, { content: { title: "Bye" } })
    expect((await lastRequest()).content).toEqual({ title: "Hello all" })
  })

  it("that asks for the recipient keep its version", async () => {
    const id = await make({ name: "a", content: { title: "Hi {{ contact.attributes.name }}" } })
    const [{ version }] = await server.sql`SELECT version_id AS version FROM templates WHERE id = ${id}`
    await send({ to: { all: true }, template_id: id, variables: { x: 1 } })
    expect(await lastRequest()).toEqual({
      to: { all: true },
      template_id: id,
      variables: { x: 1 },
      template: { version, parts: ["title"] }
    })
  })

  it("in several languages keep its version, and are refused when one of them cannot be filled", async () => {
    const id = await make({ name: "a", content: { title: "Hi" }, locales: { de: { title: "Hallo {{ name }}" } } })
    expect((await send({ to: { all: true }, template_id: id, variables: { name: "x" } })).status).toBe(202)
    expect(await lastRequest()).toMatchObject({ template: { parts: ["title"] } })
    const answer = await send({ to: { all: true }, template_id: id })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([
      { field: "variables", message: "lack name, which locales.de.title asks for" }
    ])
  })

  it.each([
    ["an unknown template", { template_id: uuidv7() }, "template_id"],
    ["a template and a content", { template_id: uuidv7(), content: { title: "a" } }, "template_id"],
    ["variables for a content", { content: { title: "a" }, variables: {} }, "variables"],
    ["a variable in the recipient's place", { template_id: uuidv7(), variables: { contact: {} } }, "variables.contact"],
    ["neither template nor content", {}, "content"]
  ])("are refused with %s, and store nothing", async (_, body, field) => {
    const before = await server.count("notifications")
    const answer = await send({ to: { all: true }, ...body })
    expect(answer.status).toBe(400)
    expect(fieldsOf(answer)).toContain(field)
    expect(await server.count("notifications")).toBe(before)
  })

  it("are refused when what is filled is too large for a push", async () => {
    const id = await make()
    const answer = await send({ to: { all: true }, template_id: id, variables: { name: "x".repeat(900) } })
    expect(answer.status).toBe(202)
    const long = await make({ name: "long", content: { body: "{{ name }}" } })
    const refused = await send({ to: { all: true }, template_id: long, variables: { name: "x".repeat(4000) } })
    expect(refused.status).toBe(400)
    expect(fieldsOf(refused)).toEqual(["content"])
  })
})
