import { connect } from "node:net"
import { createTransport, type Transporter } from "nodemailer"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { start, type RunningSmtp, type SmtpOptions } from "../../simulators/Smtp.ts"
import { certificates } from "./Client.ts"

const FROM = "News <news@sender.test>"
const TO = "reader@example.com"

let smtp: RunningSmtp
let pool: Transporter

interface Mail {
  readonly messageId?: string
  readonly subject?: string
  readonly to?: string | Array<string>
  readonly raw?: string
  readonly envelope?: { readonly from: string; readonly to: string | Array<string> }
  readonly headers?: Record<string, string>
}

/** Sends with nodemailer over a pooled connection: a new one waits a tenth of a second for its greeting. */
const send = (mail: Mail = {}) =>
  pool.sendMail({ from: FROM, to: TO, subject: "Hello", text: "World", ...mail } as never)

/** Sends over a connection of its own. */
const sendAlone = async (mail: Mail = {}, at: string = smtp.url) => {
  const transport = createTransport({ url: at, tls: { ca: certificates.ca } } as never)
  try {
    return await transport.sendMail({ from: FROM, to: TO, subject: "Hello", text: "World", ...mail } as never)
  } finally {
    transport.close()
  }
}

const refused = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt
  } catch (error) {
    return (error as { response?: string; code?: string }).response ?? String((error as { code?: string }).code)
  }
  throw new Error("was accepted")
}

const header = (over: Readonly<Record<string, string | null>> = {}): string =>
  Object.entries({
    From: FROM,
    To: TO,
    Subject: "Hello",
    "Message-ID": "<one@sender.test>",
    Date: new Date().toUTCString(),
    "MIME-Version": "1.0",
    "Content-Type": "text/plain",
    ...over
  })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

const raw = (over: Readonly<Record<string, string | null>> = {}): Mail => ({
  raw: `${header(over)}\r\nWorld\r\n`,
  envelope: { from: "news@sender.test", to: TO }
})

const using = async <A>(options: SmtpOptions, use: (running: RunningSmtp) => Promise<A>): Promise<A> => {
  const running = await start(options)
  try {
    return await use(running)
  } finally {
    await running.close()
  }
}

beforeAll(async () => {
  smtp = await start({ unknown: "nobody" })
  pool = createTransport({ host: "127.0.0.1", port: smtp.port, pool: true, maxConnections: 1, ignoreTLS: true })
})
beforeEach(() => {
  smtp.control.set()
  smtp.reset()
})
afterAll(async () => {
  pool.close()
  await smtp.close()
})

describe("the mail simulator", () => {
  it("accepts a right message and counts it by Message-ID and by recipient", async () => {
    await send({ messageId: "<a@sender.test>" })
    await send({ messageId: "<a@sender.test>" })
    await send({ messageId: "<b@sender.test>", to: "Other@example.com" })
    expect(smtp.received()).toEqual(
      new Map([
        ["<a@sender.test>", 2],
        ["<b@sender.test>", 1]
      ])
    )
    expect(smtp.recipients()).toEqual(
      new Map([
        [TO, 2],
        ["other@example.com", 1]
      ])
    )
    expect(smtp.stats()).toMatchObject({ requests: 3, accepted: 3, duplicates: 1 })
  })

  it("understands folded header fields", async () => {
    await send(raw({ Subject: "Hello\r\n  again", From: "News\r\n <news@sender.test>" }))
    expect(smtp.stats().accepted).toBe(1)
  })

  it.each([
    ["no From", { From: null }, "no from"],
    ["no To", { To: null }, "no to"],
    ["no Subject", { Subject: null }, "no subject"],
    ["no Message-ID", { "Message-ID": null }, "no message-id"],
    ["no Date", { Date: null }, "no date"],
    ["no MIME-Version", { "MIME-Version": null }, "no mime-version"],
    ["no Content-Type", { "Content-Type": null }, "no content-type"],
    ["a From that is not the envelope's", { From: "other@sender.test" }, "from differs from the envelope"],
    ["a From that is no address", { From: "News" }, "from is no address"],
    ["a To that is not the recipient", { To: "another@example.com" }, "to differs from the envelope"],
    ["a malformed Message-ID", { "Message-ID": "one" }, "message-id is malformed"],
    ["a date of last year", { Date: "Tue, 01 Jan 2019 00:00:00 GMT" }, "date is wrong"],
    ["another MIME version", { "MIME-Version": "2.0" }, "mime-version is not 1.0"],
    ["an image as its content", { "Content-Type": "image/png" }, "content-type is neither text nor multipart"],
    ["an injected second From", { Subject: "Hi\r\nFrom: evil@sender.test" }, "more than one from"],
    [
      "one-click without an address",
      { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
      "list-unsubscribe has no https address"
    ],
    [
      "an unsubscribe address without one-click",
      { "List-Unsubscribe": "<https://a.test/u>" },
      "list-unsubscribe-post is not one-click"
    ]
  ])("refuses a message with %s", async (_, over, expected) => {
    expect(await refused(send(raw(over)))).toBe(`554 5.6.0 ${expected}`)
    expect(smtp.stats()).toMatchObject({ accepted: 0, refused: { [expected]: 1 } })
  })

  it("refuses a header beyond ASCII, lines that are too long, and a message without a body's beginning", async () => {
    expect(await refused(send(raw({ Subject: "Grüße" })))).toBe("554 5.6.0 header is not ASCII")
    const mail = raw()
    expect(await refused(send({ ...mail, raw: `${mail.raw}${"x".repeat(999)}\r\n` }))).toBe(
      "554 5.6.0 line of more than 998 characters"
    )
    expect(await refused(send({ ...mail, raw: header() }))).toBe("554 5.6.0 no empty line after the header")
    await send({ messageId: "<umlaut@sender.test>", subject: "Grüße" })
    expect(smtp.stats().accepted).toBe(1)
  })

  it("refuses a line that is no header field", async () => {
    const mail = raw()
    expect(await refused(send({ ...mail, raw: `nonsense\r\n${mail.raw}` }))).toBe("554 5.6.0 Malformed header")
  })

  it("refuses a second recipient of one message", async () => {
    const envelope = { from: "news@sender.test", to: [TO, "second@example.com"] }
    const result = await send({ ...raw(), envelope })
    expect((result as { rejected: Array<string> }).rejected).toEqual(["second@example.com"])
    expect(smtp.stats().refused).toEqual({ "more than one recipient": 1 })
  })

  it("refuses a Message-ID that belongs to another recipient", async () => {
    await send({ messageId: "<a@sender.test>" })
    expect(await refused(send({ messageId: "<a@sender.test>", to: "other@example.com" }))).toBe(
      "554 5.6.0 message-id of another recipient"
    )
  })

  it("refuses unknown recipients and messages that are too large", async () => {
    expect(await refused(send({ to: "nobody1@example.com" }))).toBe("550 5.1.1 No such user here")
    await using({ size: 2000 }, async (small) => {
      const mail = raw()
      expect(await refused(sendAlone({ ...mail, raw: `${mail.raw}${"x".repeat(3000)}` }, small.url))).toMatch(/^552/)
    })
  })

  it("demands the right login when it was given one, and offers none otherwise", async () => {
    await using({ auth: { user: "me@sender.test", pass: "p/w" } }, async (closed) => {
      await sendAlone({}, closed.url)
      expect(closed.stats().accepted).toBe(1)
      expect(await refused(sendAlone({}, closed.url.replace("p%2Fw", "wrong")))).toMatch(/^535/)
      expect(await refused(sendAlone({}, closed.url.replace(/\/\/.*@/, "//")))).toMatch(/^530/)
    })
  })

  it("offers STARTTLS under its authority", async () => {
    await using({ certificates }, async (secure) => {
      const transport = createTransport({
        host: "127.0.0.1",
        port: secure.port,
        requireTLS: true,
        tls: { ca: certificates.ca }
      })
      await transport.sendMail({ from: FROM, to: TO, subject: "Hello", text: "World" })
      transport.close()
      expect(secure.stats().accepted).toBe(1)
    })
  })

  it("demands one-click unsubscription of bulk mail when told so", async () => {
    await using({ bulk: true }, async (bulk) => {
      expect(await refused(sendAlone({}, bulk.url))).toBe("554 5.6.0 no list-unsubscribe")
      await sendAlone(
        {
          headers: {
            "List-Unsubscribe": "<https://sender.test/u/1>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
          }
        },
        bulk.url
      )
      expect(bulk.stats().accepted).toBe(1)
    })
  })

  it("does not count a message whose connection is lost before the final dot", async () => {
    const socket = connect(smtp.port, "127.0.0.1")
    const lines: Array<string> = ["EHLO me", "MAIL FROM:<news@sender.test>", `RCPT TO:<${TO}>`, "DATA"]
    await new Promise<void>((resolve) => {
      socket.on("data", (data) => {
        if (/^354/m.test(String(data))) {
          socket.write(`${header()}\r\nWor`, () => socket.destroy())
        } else if (/^\d{3} .*\r\n$/m.test(String(data))) {
          socket.write(`${lines.shift()}\r\n`)
        }
      })
      socket.on("close", () => resolve())
    })
    await send({ messageId: "<after@sender.test>" })
    expect(smtp.received()).toEqual(new Map([["<after@sender.test>", 1]]))
  })
})

describe("the rules of the mail simulator", () => {
  it("refuses with the code and text it was told", async () => {
    smtp.control.set(
      { do: "refuse", status: 452, first: 1 },
      { do: "refuse", status: 550, reason: "5.7.1 Spam", first: 1 }
    )
    expect(await refused(send())).toBe("452 4.2.2 Mailbox is full")
    expect(await refused(send())).toBe("550 5.7.1 Spam")
    await send()
    expect(smtp.stats()).toMatchObject({ accepted: 1, enacted: { refuse: 2 } })
  })

  it("throttles with 421 and ends the connection", async () => {
    smtp.control.set({ do: "throttle" })
    expect(await refused(sendAlone())).toMatch(/^421 4\.7\.0/)
  })

  it("cuts the connection after accepting, and before", async () => {
    smtp.control.set({ do: "close", first: 1 }, { do: "reset", first: 1 })
    expect(await refused(sendAlone())).toMatch(/ECONNECTION|ESOCKET|ECONNRESET/)
    expect(smtp.stats().accepted).toBe(1)
    expect(await refused(sendAlone())).toMatch(/ECONNECTION|ESOCKET|ECONNRESET/)
    expect(smtp.stats().accepted).toBe(1)
  })

  it("keeps to certain recipients", async () => {
    smtp.control.set({ do: "refuse", status: 550, match: ["reader@*"] })
    expect(await refused(send())).toMatch(/^550 5\.1\.1/)
    await send({ to: "other@example.com" })
    expect(smtp.stats().accepted).toBe(1)
  })
})
