import { connect, createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { Layer } from "effect"
import PostalMime from "postal-mime"
import type { SMTPServerOptions } from "smtp-server"
import { SMTPServer } from "smtp-server"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Links from "../../../layers/crypto/Links.ts"
import { layer } from "../../../layers/mail/SmtpOnDemand.ts"
import { deliveryIdOf } from "../../../services/domain/sending/DeliveryIds.ts"
import { isSender } from "../../../services/domain/sending/Sender.ts"
import { SmtpProvider } from "../../../services/ports/sending/Provider.ts"
import * as Smtp from "../../../simulators/Smtp.ts"
import { certificates, credential, message, startSender, target, type Sender } from "../Sending.ts"

const USER = { user: "engine", pass: "p@ss:word/1" }
const FROM = "Shop <shop@example.org>"

let sender: Sender
let smtp: Smtp.RunningSmtp

beforeAll(async () => {
  const links = Links.layerOf("https://push.example.org", new Uint8Array(32).fill(7))
  sender = await startSender(SmtpProvider, layer.pipe(Layer.provide(links)), {
    BASE_URL: "https://push.example.org"
  })
  smtp = await Smtp.start({ certificates, auth: USER, unknown: "nobody" })
})
afterAll(async () => {
  await sender.close()
  await smtp.close()
})
afterEach(() => {
  smtp.control.set()
  smtp.reset()
})

// The certificate of the simulators names localhost: STARTTLS is checked by name while the address is pinned.
const owner = (url = smtp.url.replace("127.0.0.1", "localhost"), from = FROM) =>
  credential({ kind: "smtp", value: { url, from } })
const person = (n: number, name = "person") => target(`${name}${n}@example.com`)
const people = (count: number, name?: string) => Array.from({ length: count }, (_, n) => person(n, name))
const mail = (changes: object = {}) =>
  message({ priority: "bulk", content: { subject: "News", body: "Hello", html: "<p>Hello</p>" }, ...changes })
const tags = (outcomes: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(outcomes.map(({ _tag }) => _tag))]

/** A server that keeps the commands of envelopes as they came, and the mails. */
const sink = async (options: SMTPServerOptions = {}) => {
  const envelopes: Array<string> = []
  const mails: Array<string> = []
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 1,
    ...options,
    onData: (stream, _session, done) => {
      void buffer(stream).then((bytes) => {
        mails.push(bytes.toString())
        done()
      })
    }
  })
  server.server.on("connection", (socket: Socket) =>
    socket.on("data", (bytes) => envelopes.push(...(bytes.toString().match(/^(?:MAIL FROM|RCPT TO):<.*?>/gm) ?? [])))
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(resolve))
  const take = (socket: Socket) => void server.server.emit("connection", socket)
  return { envelopes, mails, take, url: `smtp://127.0.0.1:${port}`, close }
}

/** Answers some connections as they come, and the others once those of the first eight are over that it has answered. */
const front = async (isFirst: (nth: number) => boolean, first: (one: Socket) => void, then: (one: Socket) => void) => {
  const held: Array<Socket> = []
  let connections = 0
  let open = 0
  const release = () => {
    if (connections >= 8 && open === 0) for (const socket of held.splice(0)) then(socket)
  }
  const server = createServer((socket) => {
    socket.on("error", () => {})
    if (isFirst(++connections)) {
      open++
      socket.once("close", () => {
        open--
        release()
      })
      first(socket)
    } else {
      held.push(socket)
      release()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { port, url: `smtp://127.0.0.1:${port}`, connections: () => connections, close: () => server.close() }
}

const tooManyLinks = (socket: Socket) => void socket.end("421 4.7.0 Too many connections\r\n")

/** Begins with TLS, and breaks it. */
const brokenTls = (socket: Socket) => {
  const answers = ["250-mail\r\n250 STARTTLS\r\n", "220 Go ahead\r\n"]
  socket.write("220 mail\r\n")
  socket.on("data", () => {
    const answer = answers.shift()
    if (answer === undefined) socket.end("this is no TLS\r\n")
    else socket.write(answer)
  })
}

describe("SmtpProvider", () => {
  it("mails a batch once to each address over few connections, with the Message-ID of the delivery", async () => {
    const targets = people(200)
    const sent = mail()
    const outcomes = await sender.send({ message: sent, credential: owner(), targets })
    expect(outcomes).toEqual(
      targets.map(({ id }) => ({ _tag: "Ok", messageId: `${deliveryIdOf(sent.notificationId, id)}@example.org` }))
    )
    expect(smtp.stats()).toMatchObject({ accepted: 200, duplicates: 0, refused: {} })
    expect(smtp.stats().connections).toBeLessThanOrEqual(8)
    expect([...smtp.received().keys()].sort()).toEqual(
      targets.map(({ id }) => `<${deliveryIdOf(sent.notificationId, id)}@example.org>`).sort()
    )
  })

  it("begins no more mails than it may", async () => {
    // One at a time: what the server has counts all that have begun. It is asked as well while a connection is awaited.
    const server = await sink({ maxClients: 1 })
    const outcomes = await sender.send({
      message: mail(),
      credential: owner(server.url),
      targets: people(20),
      mayBegin: () => server.mails.length < 5
    })
    await server.close()
    expect(outcomes.map(({ _tag }) => _tag).sort()).toEqual([
      ...Array.from({ length: 5 }, () => "Ok"),
      ...Array.from({ length: 15 }, () => "Withheld")
    ])
    expect(server.mails).toHaveLength(5)
  })

  it("offers one-click unsubscription in bulk mail, and not in a transactional message", async () => {
    const strict = await Smtp.start({ bulk: true })
    const bulk = await sender.send({ message: mail(), credential: owner(strict.url), targets: people(2) })
    expect(tags(bulk)).toEqual(["Ok"])
    const single = await sender.send({
      message: mail({ priority: "high" }),
      credential: owner(strict.url),
      targets: people(1)
    })
    expect(single).toMatchObject([{ _tag: "Fail", reason: "smtp_554_5.6.0" }])
    expect(strict.stats().refused).toEqual({ "no list-unsubscribe": 1 })
    await strict.close()
  })

  it("puts nothing of the content into the header but the subject's one line", async () => {
    const sent = mail({ content: { title: "Hi\r\nBcc: everyone@example.com\r\n\r\nboo", body: "x" } })
    expect(tags(await sender.send({ message: sent, credential: owner(), targets: people(1) }))).toEqual(["Ok"])
    expect([...smtp.recipients().keys()]).toEqual(["person0@example.com"])
  })

  it("suppresses an unknown address and goes on with the others", async () => {
    const targets = [person(0), person(1, "nobody"), person(2)]
    expect(await sender.send({ message: mail(), credential: owner(), targets })).toMatchObject([
      { _tag: "Ok" },
      { _tag: "Drop", reason: "smtp_550_5.1.1", seenBefore: null },
      { _tag: "Ok" }
    ])
  })

  it("holds the credential when the sign-in is refused or missing", async () => {
    const { port } = smtp
    for (const url of [`smtp://engine:wrong@localhost:${port}`, `smtp://localhost:${port}`]) {
      const outcomes = await sender.send({ message: mail(), credential: owner(url), targets: people(20) })
      expect(tags(outcomes)).toEqual(["Suspend"])
    }
    expect(smtp.stats().accepted).toBe(0)
  })

  it("holds a credential whose password cannot be decoded, instead of throwing in every batch", async () => {
    const outcomes = await sender.send({
      message: mail(),
      credential: owner(`smtp://engine:100%secret@localhost:${smtp.port}`),
      targets: people(1)
    })
    expect(outcomes).toMatchObject([{ _tag: "Suspend", reason: expect.stringContaining("cannot be understood") }])
    expect(smtp.stats().accepted).toBe(0)
  })

  it("slows the server down when it says so, and waits for a full mailbox", async () => {
    smtp.control.set({ do: "refuse", status: 451, first: 1 }, { do: "refuse", status: 452, match: ["person1@*"] })
    const targets = [person(0)]
    expect(await sender.send({ message: mail(), credential: owner(), targets })).toMatchObject([
      { _tag: "Slow", scope: "server", reason: "smtp_451_4.7.1" }
    ])
    expect(await sender.send({ message: mail(), credential: owner(), targets: [person(1)] })).toMatchObject([
      { _tag: "Retry", reason: "smtp_452_4.2.2", afterMs: 1_800_000 }
    ])
    smtp.control.set({ do: "throttle" })
    expect(await sender.send({ message: mail(), credential: owner(), targets })).toMatchObject([
      { _tag: "Slow", scope: "server", reason: expect.stringMatching(/^smtp_421/) }
    ])
  })

  const tooMany = Object.assign(new Error("4.7.0 Enough for now"), { responseCode: 421 })

  it("takes another connection where the server says 421 to one that has had its share", async () => {
    const taken = new Map<string, number>()
    const server = await sink({
      onMailFrom: (_, { id }, done) => {
        const count = (taken.get(id) ?? 0) + 1
        taken.set(id, count)
        done(count > 10 ? tooMany : null)
      }
    })
    const outcomes = await sender.send({ message: mail(), credential: owner(server.url), targets: people(200) })
    expect(tags(outcomes)).toEqual(["Ok"])
    expect(server.mails).toHaveLength(200)
    await server.close()
  })

  it("slows the server down where the next connection is told the same", async () => {
    let count = 0
    const connections = new Set<string>()
    const server = await sink({
      onMailFrom: (_, { id }, done) => {
        connections.add(id)
        done(++count > 60 ? tooMany : null)
      }
    })
    const outcomes = await sender.send({ message: mail(), credential: owner(server.url), targets: people(100) })
    expect(outcomes.filter(({ _tag }) => _tag === "Ok")).toHaveLength(60)
    expect(outcomes.find(({ _tag }) => _tag !== "Ok")).toMatchObject({ _tag: "Slow", scope: "server" })
    await server.close()
  })

  it.each([
    ["says 421 to all but two", (nth: number) => nth > 2, tooManyLinks],
    ["says 421 to two of three", (nth: number) => nth % 3 > 0, tooManyLinks],
    ["hangs up on all but the last", (nth: number) => nth !== 8, (socket: Socket) => void socket.destroy()],
    ["breaks the TLS of all but one", (nth: number) => nth > 1, brokenTls]
  ])("mails over the connections that a server takes which %s of those that come at once", async (_, isRefused, no) => {
    const server = await sink()
    const { close, connections, url } = await front(isRefused, no, server.take)
    const outcomes = await sender.send({ message: mail(), credential: owner(url), targets: people(100) })
    expect(tags(outcomes)).toEqual(["Ok"])
    expect(server.mails).toHaveLength(100)
    // It is not asked for more than it takes.
    expect(connections()).toBe(8)
    close()
    await server.close()
  })

  it("waits for the goodbye of a server that takes one connection at a time before it comes again", async () => {
    const { close, mails, url } = await sink()
    let open = 0
    const one = createServer({ noDelay: true }, (socket) => {
      if (open > 0) return tooManyLinks(socket)
      open++
      const server = connect({ port: Number(new URL(url).port), noDelay: true })
      server.pipe(socket)
      const pass = (bytes: Buffer) => {
        if (!bytes.toString().startsWith("QUIT")) return void server.write(bytes)
        // It takes its time to leave.
        setTimeout(() => {
          open--
          server.write(bytes)
        }, 50)
      }
      socket.on("data", pass).on("end", () => server.end())
    })
    await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve))
    const used = owner(`smtp://127.0.0.1:${(one.address() as AddressInfo).port}`)
    const outcomes = await sender.send({ message: mail(), credential: used, targets: people(510) })
    expect(tags(outcomes)).toEqual(["Ok"])
    expect(mails).toHaveLength(510)
    one.close()
    await close()
  })

  it("slows a server down that takes no connection at all, and asks it for as many again the next time", async () => {
    const { close, connections, url } = await front(() => true, tooManyLinks, tooManyLinks)
    const used = owner(url)
    for (const asked of [8, 16]) {
      const outcomes = await sender.send({ message: mail(), credential: used, targets: people(100) })
      expect(outcomes).toEqual(
        outcomes.map(() => ({ _tag: "Slow", scope: "server", reason: "smtp_421_4.7.0", afterMs: 60_000 }))
      )
      expect(connections()).toBe(asked)
    }
    close()
  })

  it("says that the sign-in is refused, although it is one of too many connections that is told so last", async () => {
    const server = await sink({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: (_, _session, done) => done(Object.assign(new Error("5.7.8 Wrong"), { responseCode: 535 }))
    })
    const { close, port } = await front((nth) => nth < 3, server.take, tooManyLinks)
    const used = owner(`smtp://engine:wrong@127.0.0.1:${port}`)
    const outcomes = await sender.send({ message: mail(), credential: used, targets: people(20) })
    expect(tags(outcomes)).toEqual(["Suspend"])
    close()
    await server.close()
  })

  it("lets a greylisted recipient wait alone, unless all are told to wait", async () => {
    const later = Object.assign(new Error("4.7.1 Greylisted, try again in 300 seconds"), { responseCode: 451 })
    const server = await sink({ onRcptTo: ({ address }, _, done) => done(address.startsWith("grey") ? later : null) })
    const used = owner(server.url)
    const mixed = [person(0, "grey"), ...people(5)]
    const outcomes = await sender.send({ message: mail(), credential: used, targets: mixed })
    expect(outcomes[0]).toMatchObject({ _tag: "Slow", scope: "recipient", reason: "smtp_451_4.7.1", afterMs: 60_000 })
    expect(tags(outcomes.slice(1))).toEqual(["Ok"])
    const alone = await sender.send({ message: mail(), credential: used, targets: [person(0, "grey")] })
    expect(alone).toMatchObject([{ _tag: "Slow", scope: "recipient" }])
    const all = await sender.send({ message: mail(), credential: used, targets: people(12, "grey") })
    expect(all.filter((outcome) => outcome._tag === "Slow" && outcome.scope === "server").length).toBeGreaterThan(0)
    await server.close()
  })

  it("holds the credential when a policy refuses everything, and fails a single such mail", async () => {
    smtp.control.set({ do: "refuse", status: 554, match: ["person1@*"] })
    const used = owner()
    expect(await sender.send({ message: mail(), credential: used, targets: people(3) })).toMatchObject([
      { _tag: "Ok" },
      { _tag: "Fail", reason: "smtp_554_5.7.1" },
      { _tag: "Ok" }
    ])
    smtp.control.set({ do: "refuse", status: 554 })
    expect(tags(await sender.send({ message: mail(), credential: used, targets: people(15) }))).toEqual(["Suspend"])
  })

  it("mails in the sender's name to the letter, however it is written", async () => {
    const { close, mails, url } = await sink()
    const names = [
      ['Häus, "Ex"', 'Häus, "Ex"'],
      ['Haus, "Ex"', 'Haus, "Ex"'],
      ['"Häus, \\"Ex\\""', 'Häus, "Ex"'],
      ['"Haus, Ex"', "Haus, Ex"],
      ['"Shop" GmbH', '"Shop" GmbH'],
      ['"Us" "and them"', '"Us" "and them"'],
      ["Shop (Berlin)", "Shop (Berlin)"],
      ["News: today; soon", "News: today; soon"],
      ["Acme: News", "Acme: News"],
      ["Acme (EU", "Acme (EU"],
      ["Acme (EU)", "Acme (EU)"],
      ["Acme; News", "Acme; News"],
      ['"unterminated', '"unterminated'],
      ["a@b.com, Evil", "a@b.com, Evil"],
      ["I <3 News", "I <3 News"],
      ["=?utf-8?q?x?= <b@example.com>", "=?utf-8?q?x?= <b@example.com>"],
      ["日本の店、株式会社", "日本の店、株式会社"],
      ["متجر ١", "متجر ١"],
      ["👩‍👩‍👧 GmbH & Co.", "👩‍👩‍👧 GmbH & Co."],
      ["Back\\slash", "Back\\slash"]
    ] as const
    for (const [written, name] of names) {
      const from = `${written} <news@example.org>`
      expect(isSender(from)).toBe(true)
      const used = owner(url, from)
      expect(tags(await sender.send({ message: mail(), credential: used, targets: people(1) }))).toEqual(["Ok"])
      expect((await PostalMime.parse(mails.pop()!)).from).toEqual({ name, address: "news@example.org" })
    }
    await close()
  })

  it("writes domains in ASCII, and fails what a server without SMTPUTF8 cannot take", async () => {
    const { close, envelopes, mails, url } = await sink({ hideSMTPUTF8: true })
    const targets = ["a+b@bücher.example", "jörg@example.com", "a@b，c.com", "c@b.com\u200b", "A@Example.com"].map(
      (address) => target(address)
    )
    const used = owner(url, "Bücher <news@bücher.example>")
    expect(await sender.send({ message: mail(), credential: used, targets })).toMatchObject([
      { _tag: "Ok", messageId: expect.stringMatching(/@xn--bcher-kva\.example$/) },
      { _tag: "Fail", reason: "smtputf8_unsupported" },
      { _tag: "Fail", reason: "smtputf8_unsupported" },
      { _tag: "Fail", reason: "smtputf8_unsupported" },
      { _tag: "Ok" }
    ])
    const from = "MAIL FROM:<news@xn--bcher-kva.example>"
    expect(envelopes.sort()).toEqual([from, from, "RCPT TO:<A@Example.com>", "RCPT TO:<a+b@xn--bcher-kva.example>"])
    const heads = mails.map((text) => text.slice(0, text.indexOf("\r\n\r\n")))
    expect(heads.every((head) => /^\p{ASCII}*$/u.test(head) && head.includes("<news@xn--bcher-kva.example>"))).toBe(
      true
    )
    expect(heads.map((head) => /^To: (.*)\r$/m.exec(head)?.[1]).sort()).toEqual([
      "A@Example.com",
      "a+b@xn--bcher-kva.example"
    ])
    await close()
  })

  it("suspends a sender whom a server without SMTPUTF8 cannot take", async () => {
    const { close, envelopes, url } = await sink({ hideSMTPUTF8: true })
    const used = owner(url, "jörg@example.org")
    expect(await sender.send({ message: mail(), credential: used, targets: people(1) })).toMatchObject([
      { _tag: "Suspend", reason: expect.stringContaining("SMTPUTF8") }
    ])
    expect(envelopes).toEqual([])
    await close()
  })

  it("mails to and from addresses of any language where the server takes them", async () => {
    const { close, mails, url } = await sink()
    const used = owner(url, "Jörg <jörg@bücher.example>")
    const targets = [target("用户@例え.example")]
    expect(tags(await sender.send({ message: mail(), credential: used, targets }))).toEqual(["Ok"])
    const parsed = await PostalMime.parse(mails[0]!)
    expect(parsed.to).toEqual([{ name: "", address: "用户@xn--r8jz45g.example" }])
    expect(parsed.from).toEqual({
      name: "Jörg",
      address: expect.stringMatching(/^jörg@(bücher|xn--bcher-kva)\.example$/)
    })
    await close()
  })

  it("has an outcome for each mail of a sender that was stored before such were refused", async () => {
    const { close, url } = await sink()
    for (const from of ["a,b@example.com", "a@b.com,", "N <a(b)@example.com>", "a@b..com", "a@xn--", "a"]) {
      const outcomes = await sender.send({ message: mail(), credential: owner(url, from), targets: people(2) })
      expect(tags(outcomes), from).toEqual([expect.toBeOneOf(["Ok", "Fail", "Suspend"])])
    }
    await close()
  })

  it("asks for all others when a policy refuses those who come first, and has those wait whom it refuses", async () => {
    const server = new SMTPServer({
      disabledCommands: ["AUTH", "STARTTLS"],
      disableReverseLookup: true,
      onRcptTo: ({ address }, _session, done) =>
        done(
          address.startsWith("refused")
            ? Object.assign(new Error("5.7.1 Recipient address rejected"), { responseCode: 554 })
            : null
        ),
      onData: (stream, _session, done) => void stream.resume().once("end", () => done())
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.server.address() as AddressInfo
    const used = owner(`smtp://127.0.0.1:${port}`)
    const refused = people(40, "refused")
    const mixed = await sender.send({ message: mail(), credential: used, targets: [...refused, ...people(3)] })
    expect(mixed.slice(0, 40)).toEqual(refused.map(() => ({ _tag: "Fail", reason: "smtp_554_5.7.1" })))
    expect(tags(mixed.slice(40))).toEqual(["Ok"])

    const judged = await sender.ask({ message: mail(), credential: used, targets: refused })
    expect(judged.every((one) => one._tag === "Refused" && one.isEnough!())).toBe(true)
    expect(judged[0]).toMatchObject({ reason: expect.stringContaining("554 5.7.1 Recipient address rejected") })
    expect(await sender.send({ message: mail(), credential: used, targets: people(1, "refused") })).toEqual([
      { _tag: "Slow", scope: "recipient", reason: "smtp_554_5.7.1", afterMs: 900_000 }
    ])
    await new Promise<void>((resolve) => server.close(resolve))
  })

  it("says that a mail was possibly delivered when the connection is lost after its final dot", async () => {
    smtp.control.set({ do: "close", first: 1 })
    const sent = mail()
    const targets = people(1)
    expect(await sender.send({ message: sent, credential: owner(), targets })).toEqual([
      { _tag: "Retry", reason: "possibly_delivered", afterMs: null, isUnknown: true }
    ])
    expect(tags(await sender.send({ message: sent, credential: owner(), targets }))).toEqual(["Ok"])
    expect([...smtp.received().values()]).toEqual([2])
  })

  it("notices that a connection was closed between two mails and sends over another", async () => {
    const used = owner()
    const sockets = new Set<Socket>()
    const server = new SMTPServer({ disabledCommands: ["AUTH", "STARTTLS"], logger: false, disableReverseLookup: true })
    server.server.on("connection", (socket: Socket) => sockets.add(socket))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.server.address() as AddressInfo
    const plain = { ...used, config: owner(`smtp://127.0.0.1:${port}`).config }
    expect(tags(await sender.send({ message: mail(), credential: plain, targets: people(1) }))).toEqual(["Ok"])
    for (const socket of sockets) socket.destroy()
    expect(tags(await sender.send({ message: mail(), credential: plain, targets: people(3) }))).toEqual(["Ok"])
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(resolve))
  })

  it("tells all who wait when the server cannot be reached or hangs up, instead of asking it for each", async () => {
    let connections = 0
    const rude: Server = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => rude.listen(0, "127.0.0.1", resolve))
    const { port } = rude.address() as AddressInfo
    const outcomes = await sender.send({
      message: mail(),
      credential: owner(`smtp://127.0.0.1:${port}`),
      targets: people(400)
    })
    expect(outcomes).toEqual(outcomes.map(() => ({ _tag: "Retry", reason: "connection_connect", afterMs: null })))
    expect(connections).toBeLessThanOrEqual(16)
    rude.close()
  })

  it("holds a server that may not be called, and one that nobody vouches for", async () => {
    expect(
      await sender.send({ message: mail(), credential: owner("smtp://10.0.0.1:25"), targets: people(1) })
    ).toMatchObject([{ _tag: "Suspend", reason: expect.stringContaining("may not be called") }])
    const secure = new SMTPServer({ secure: true, logger: false, disabledCommands: ["AUTH"] })
    secure.on("error", () => {})
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve))
    const { port } = secure.server.address() as AddressInfo
    // smtp-server brings a self-signed certificate of its own.
    const outcomes = await sender.send({
      message: mail(),
      credential: owner(`smtps://127.0.0.1:${port}`),
      targets: people(2)
    })
    expect(tags(outcomes)).toEqual(["Suspend"])
    await new Promise<void>((resolve) => secure.close(resolve))
  })

  it("fails a mail that is larger than the server takes, by the size that the server names itself", async () => {
    const small = await Smtp.start({ size: 2000 })
    const content = { subject: "News", body: "x".repeat(3000) }
    expect(
      await sender.send({ message: mail({ content }), credential: owner(small.url), targets: people(1) })
    ).toMatchObject([{ _tag: "Fail", reason: "payload_too_large" }])
    expect(small.stats().requests).toBe(0)
    await small.close()
  })

  it("writes the HTML of the text where the given one is empty, as a template may leave it for some", async () => {
    const { close, mails, url } = await sink()
    const contents = [
      { subject: "News", body: "Hello", html: "" },
      { title: "News", html: "" }
    ]
    for (const content of contents) {
      const message = mail({ content, track: { opens: false, clicks: false } })
      expect(tags(await sender.send({ message, credential: owner(url), targets: people(1) }))).toEqual(["Ok"])
    }
    const read = await Promise.all(mails.map((text) => PostalMime.parse(text)))
    expect(read.map(({ html, subject }) => [subject, html?.trim()])).toEqual([
      ["News", "<!doctype html><html><body><p>Hello</p></body></html>"],
      ["News", "<!doctype html><html><body><p>News</p></body></html>"]
    ])
    await close()
  })

  it("fails a mail that cannot be composed, instead of breaking", async () => {
    const content = { subject: "News", html: 5 as unknown as string }
    expect(
      await sender.send({
        message: mail({ content, track: { opens: false, clicks: false } }),
        credential: owner(),
        targets: people(2)
      })
    ).toEqual(Array.from({ length: 2 }, () => ({ _tag: "Fail", reason: "not_composable" })))
  })

  it("fails what is expired or has nothing to mail", async () => {
    expect(
      await sender.send({ message: mail({ expiresAt: Date.now() - 1 }), credential: owner(), targets: people(1) })
    ).toEqual([{ _tag: "Fail", reason: "expired" }])
    expect(
      await sender.send({ message: mail({ content: { data: { a: 1 } } }), credential: owner(), targets: people(1) })
    ).toEqual([{ _tag: "Fail", reason: "empty_content" }])
  })

  it("abandons what is under way when it is interrupted, and serves the next batch", async () => {
    const used = owner()
    const targets = people(3)
    smtp.control.set({ do: "hang", match: ["person0@*", "person1@*"] })
    const outcomes = await sender.sendUntilFirst({ message: mail(), credential: used, targets })
    expect(outcomes[2]).toMatchObject({ _tag: "Ok" })
    for (const other of outcomes.slice(0, 2)) expect(other?._tag ?? "none").toMatch(/^(none|Retry)$/)
    expect(tags(await sender.send({ message: mail(), credential: used, targets: people(3, "other") }))).toEqual(["Ok"])
  })
})
