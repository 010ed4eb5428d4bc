import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"
import { layerOf } from "../../layers/crypto/Links.ts"
import type { ChannelId, NotificationId } from "../../services/domain/Ids.ts"
import { Links } from "../../services/ports/engagement/Links.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

interface Mailbox {
  readonly system: System
  /** Whole messages by the address that they came to. */
  readonly mails: ReadonlyMap<string, ReadonlyArray<string>>
}

class TheMailbox extends Context.Service<TheMailbox, Mailbox>()("heliograph/test/Mailbox") {}

/** The whole service, with a mail server that keeps what it gets. */
const MAILBOX = Layer.effect(
  TheMailbox,
  Effect.gen(function* () {
    const mails = new Map<string, Array<string>>()
    const server = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<SMTPServer>((resolve) => {
            const server = new SMTPServer({
              authOptional: true,
              disabledCommands: ["STARTTLS"],
              onData: (stream, session, done) => {
                const chunks: Array<Buffer> = []
                stream.on("data", (chunk: Buffer) => chunks.push(chunk))
                stream.on("end", () => {
                  const to = session.envelope.rcptTo[0]!.address
                  mails.set(to, [...(mails.get(to) ?? []), Buffer.concat(chunks).toString("latin1")])
                  done()
                })
              }
            })
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) => Effect.promise(() => new Promise<void>((resolve) => server.close(() => resolve())))
    )
    const system = yield* makeSystem()
    const { port } = server.server.address() as AddressInfo
    const credential = { url: `smtp://127.0.0.1:${port}`, from: "Shop <shop@example.org>" }
    const { status } = yield* system.call("PUT", "/api/v1/credentials/smtp", credential)
    expect(status).toBe(200)
    return { system, mails }
  })
)

const htmlOf = (mail: string): string =>
  Buffer.from(
    mail
      .slice(mail.indexOf("text/html"))
      .replaceAll("=\r\n", "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  ).toString()

const follow = (url: string) =>
  Effect.promise(() => fetch(url, { redirect: "manual", headers: { "user-agent": "Mozilla/5.0 (X11) Firefox/128.0" } }))

const DESTINATIONS = ["https://shop.example/one?a=1&b=2", "https://shop.example/two"]
const HTML = `<body><p>Grüße</p>${DESTINATIONS.map((to) => `<a href="${to.replaceAll("&", "&amp;")}">x</a>`).join(" ")}</body>`

layer(MAILBOX, { timeout: 240_000, excludeTestServices: true })("e-mail", (it) => {
  it.effect("says that it was opened and clicked, once for each delivery, and leads where it should", () =>
    Effect.gen(function* () {
      const { mails, system } = yield* TheMailbox
      const [receiver] = system.fleet.description.receivers
      const { name, secret, url } = receiver!
      const events = ["NOTIFICATION_OPENED", "NOTIFICATION_CLICKED"]
      expect((yield* system.call("POST", "/api/v1/webhooks", { name, url, secret, events })).status).toBe(201)
      const emails = ["ann@x.example", "bob@x.example", "cyd@x.example"]
      const id = yield* system.send({
        to: { emails },
        content: { subject: "News", html: HTML },
        track: { opens: true, clicks: true }
      })
      yield* system.until(id, ({ status }) => status === "completed")
      for (const email of emails) {
        const html = htmlOf(mails.get(email)![0]!)
        expect(html).toContain("Grüße")
        const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link!)
        const pixel = /<img src="([^"]+)"/.exec(html)![1]!
        expect(links).toHaveLength(2)
        for (const _ of [1, 2]) expect((yield* follow(pixel)).status).toBe(200)
        for (const [i, link] of links.entries()) {
          const answer = yield* follow(link)
          expect([answer.status, answer.headers.get("location")]).toEqual([302, DESTINATIONS[i]])
        }
        const changed = links[0]!.slice(0, -1) + (links[0]!.endsWith("A") ? "B" : "A")
        expect((yield* follow(changed)).status).toBe(404)
      }
      const { body } = yield* system.call("GET", `/api/v1/notifications/${id}`)
      // Links that are followed in the moment of sending are no person's doing.
      expect(body.counts).toMatchObject({ sent: 3, opened: 3, clicked: 3, machine_opened: 0, machine_clicked: 3 })
      yield* eventually(
        Effect.sync(() => system.fleet.webhooks.receivers[0]!.received().size),
        (count) => count === 6
      )
      expect(system.fleet.webhooks.stats().refused).toEqual({})
    })
  )

  it.effect("carries nothing of the kind unless it is asked for, where nobody outside reaches the engine", () =>
    Effect.gen(function* () {
      const { mails, system } = yield* TheMailbox
      const id = yield* system.send({ to: { emails: ["plain@x.example"] }, content: { subject: "S", html: HTML } })
      yield* system.until(id, ({ status }) => status === "completed")
      const html = htmlOf(mails.get("plain@x.example")![0]!)
      expect(html).toContain('<a href="https://shop.example/two">')
      expect(html).not.toContain("<img")
    })
  )

  it.effect("comes no more to who unsubscribed, whose preferences say so, until they come back", () =>
    Effect.gen(function* () {
      const { mails, system } = yield* TheMailbox
      const email = "dan@x.example"
      const person = { external_id: "dan", email, tags: ["letter"] }
      const { body: contact } = yield* system.call("POST", "/api/v1/contacts", person)
      const send = Effect.fnUntraced(function* (to: unknown) {
        const id = yield* system.send({ to, content: { subject: "S", html: "<p>Hi</p>" } })
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries`)
        return { id, counts: shown.counts, delivery: body.data[0] }
      })
      const first = yield* send({ emails: [email] })
      const links = yield* Effect.provide(Links, layerOf(system.url, Buffer.from(system.env["MASTER_KEY"]!, "hex")))
      const channelId = first.delivery.channel_id as ChannelId
      const url = links.unsubscribeUrl(system.app.appId, channelId, first.id as NotificationId)
      const post = (body: string) =>
        Effect.promise(() =>
          fetch(url, { method: "POST", body, headers: { "content-type": "application/x-www-form-urlencoded" } })
        )
      const preference = Effect.map(
        system.call("GET", `/api/v1/contacts/${contact.id}/preferences`),
        ({ body }) => body.email
      )
      expect((yield* follow(url)).status).toBe(200)
      expect(yield* preference).toBe(true)
      expect((yield* post("List-Unsubscribe=One-Click")).status).toBe(200)
      expect(yield* preference).toBe(false)
      for (const to of [{ emails: [email] }, { channel_ids: [channelId] }]) {
        const { counts, delivery } = yield* send(to)
        expect(counts).toMatchObject({ accepted: 1, sent: 0, skipped: 1 })
        expect(delivery).toMatchObject({ status: "skipped", error: "unsubscribed" })
      }
      expect((yield* send({ tags_any: ["letter"] })).counts.accepted).toBe(0)
      expect(mails.get(email)).toHaveLength(1)
      expect((yield* post("action=resubscribe")).status).toBe(200)
      expect(yield* preference).toBe(true)
      expect((yield* send({ tags_any: ["letter"] })).counts).toMatchObject({ accepted: 1, sent: 1 })
      expect(mails.get(email)).toHaveLength(2)
    })
  )

  it.effect("comes once to a mailbox, however its domain is written, and not once it has unsubscribed", () =>
    Effect.gen(function* () {
      const { mails, system } = yield* TheMailbox
      const [written, ascii] = ["eva@exämple.com", "eva@xn--exmple-cua.com"]
      const send = Effect.fnUntraced(function* (emails: ReadonlyArray<string>) {
        const id = yield* system.send({ to: { emails }, content: { subject: "S", html: "<p>Hi</p>" } })
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries`)
        return { id: id as NotificationId, counts: shown.counts, channelId: body.data[0].channel_id as ChannelId }
      })
      const first = yield* send([written, ascii])
      expect(first.counts).toMatchObject({ accepted: 1, sent: 1 })
      const links = yield* Effect.provide(Links, layerOf(system.url, Buffer.from(system.env["MASTER_KEY"]!, "hex")))
      const url = links.unsubscribeUrl(system.app.appId, first.channelId, first.id)
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      yield* Effect.promise(() => fetch(url, { method: "POST", body: "List-Unsubscribe=One-Click", headers }))
      for (const address of [written, ascii, "eva@ｅxämple.com"]) {
        expect((yield* send([address])).counts).toMatchObject({ accepted: 1, sent: 0, skipped: 1 })
      }
      // The mail server of this test shows domains as people read them.
      expect(mails.get(written)).toHaveLength(1)
    })
  )
})
