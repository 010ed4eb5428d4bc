import PostalMime from "postal-mime"
import { describe, expect, it } from "vitest"
import { compose, isMailable } from "../../../layers/mail/Message.ts"
import type { Content } from "../../../services/domain/sending/Notification.ts"
import { message } from "../Sending.ts"

const AT = Date.parse("2026-01-02T03:04:05Z")
const written = async (content: Content, from = "Shop <shop@example.org>", unsubscribe: string | null = null) => {
  const template = await compose(message({ content }), from, AT)
  const text = template.write("ann@example.com", template.idOf("id"), unsubscribe).toString()
  const end = text.indexOf("\r\n\r\n")
  const fields = text
    .slice(0, end)
    .replace(/\r\n[ \t]/g, " ")
    .split("\r\n")
    .map((line) => line.split(/: (.*)/s, 2))
  return { template, fields, headers: Object.fromEntries(fields), body: text.slice(end + 4) }
}

describe("a mail", () => {
  it("has each header field once, its recipient, and the delivery's id under the sender's domain", async () => {
    const { body, fields, headers, template } = await written({ subject: "News", body: "Hi", html: "<b>Hi</b>" })
    expect(headers).toMatchObject({
      From: "Shop <shop@example.org>",
      To: "ann@example.com",
      Subject: "News",
      "Message-ID": "<id@example.org>",
      Date: "Fri, 02 Jan 2026 03:04:05 +0000",
      "MIME-Version": "1.0",
      "Content-Type": expect.stringContaining("multipart/alternative")
    })
    expect(new Set(fields.map(([name]) => name)).size).toBe(fields.length)
    expect(headers).not.toHaveProperty("List-Unsubscribe")
    expect(template.sender).toBe("shop@example.org")
    expect(body).toMatch(/text\/plain[\s\S]*Hi[\s\S]*text\/html[\s\S]*<b>Hi<\/b>/)
  })

  it("names where to unsubscribe with one click", async () => {
    const { headers } = await written({ body: "x" }, undefined, "https://e.org/u/token")
    expect(headers).toMatchObject({
      "List-Unsubscribe": "<https://e.org/u/token>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
    })
  })

  it("falls back to title and body for what is missing, escapes them, and links the url", async () => {
    const { body, headers } = await written({ title: "T", body: "a < b\n\nnext", url: "https://e.org/?a=1&b=2" })
    expect(headers["Subject"]).toBe("T")
    expect(body).toContain("a < b\r\n\r\nnext\r\n\r\nhttps://e.org/?a=1&b=2")
    expect(body.replace(/=\r\n/g, "").replaceAll("=3D", "=")).toContain(
      '<p>a &lt; b</p><p>next</p><p><a href="https://e.org/?a=1&amp;b=2">https://e.org/?a=1&amp;b=2</a></p>'
    )
    expect((await written({ body: "\nfirst line\nsecond" })).headers["Subject"]).toBe("first line")
  })

  it.each([
    ["only a subject", { subject: "Hello" }, { subject: "Hello", text: "Hello" }],
    ["an empty body", { subject: "Hello", body: "" }, { subject: "Hello", text: "Hello" }],
    ["an empty body and a title", { subject: "Hello", title: "T", body: "" }, { subject: "Hello", text: "T" }],
    ["an empty subject", { subject: "", title: "T", body: "B" }, { subject: "T", text: "B" }],
    ["a first line that ends within a character", { body: `${"a".repeat(77)}😀b` }, { subject: "a".repeat(77) }]
  ])("has a text and a subject, given %s", async (_, content, expected) => {
    const { template } = await written(content)
    const { html, subject, text } = await PostalMime.parse(template.write("ann@example.com", "id", null))
    expect({ subject, text: text?.trim() }).toMatchObject(expected)
    expect(html).toContain("<p>")
  })

  it("cannot be given another header field by its content", async () => {
    const { fields } = await written({ title: "Hi\r\nBcc: x@example.com\nX-Evil: 1", body: "x" })
    expect(fields.map(([name]) => name)).not.toContain("Bcc")
    expect(fields.map(([name]) => name)).not.toContain("X-Evil")
  })

  it.each([
    ["quoted-printable", "=?utf-8?q?Your_bank?="],
    ["base64", "=?UTF-8?B?WW91ciBiYW5r?= and more"],
    ["beside other scripts", "Grüße =?utf-8?q?Your=20bank?= 你好"],
    ["that is none", "a =? b"],
    ["over many lines", `${"=?utf-8?q?Your_bank?= 🎉 ".repeat(20)}end`]
  ])("says what looks like an encoded word exactly, in the subject and the sender's name: %s", async (_, text) => {
    const { headers, template } = await written({ subject: text, body: "x" }, `"${text}" <shop@example.org>`)
    // Wherever a reader decodes, in quotes too, it finds the text itself.
    for (const name of ["Subject", "From"]) {
      for (const word of headers[name]!.match(/=\?[^?]*\?.\?[^?]*\?=/g)!) {
        expect(word).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]+\?=$/)
        expect(word.length).toBeLessThanOrEqual(75)
      }
    }
    const mail = template.write("ann@example.com", "id", null)
    for (const line of mail.toString().split("\r\n\r\n", 1)[0]!.split("\r\n"))
      expect(line.length).toBeLessThanOrEqual(78)
    const { from, subject } = await PostalMime.parse(mail)
    expect([subject, from]).toEqual([text, { name: text, address: "shop@example.org" }])
  })

  it.each([
    ["a word that a line holds", "a".repeat(900)],
    ["a word of the most that a line holds, were it not for the space before it", "a".repeat(998)],
    ["a word of one character less", "a".repeat(997)],
    ["words around one that no line holds", `Order ${"9".repeat(1_200)} is on its way`],
    ["two of them", `${"a".repeat(1_500)} ${"b".repeat(2_000)}`],
    ["a word beside other scripts", `Grüße ${"c".repeat(1_100)}`]
  ])("has no line of more than 998 octets: the subject is %s", async (_, text) => {
    const { template } = await written({ subject: text, body: "x" }, `"${text}" <shop@example.org>`)
    const mail = template.write("ann@example.com", "id", null)
    for (const line of mail.toString("latin1").split("\r\n")) expect(line.length).toBeLessThanOrEqual(998)
    const { from, subject } = await PostalMime.parse(mail)
    expect([subject, from]).toEqual([text, { name: text, address: "shop@example.org" }])
  })

  it("begins a text behind its header's name, however long its first word is", async () => {
    for (let length = 40; length < 120; length++) {
      const text = `${"x".repeat(length)} and more`
      const { template } = await written({ subject: text, body: "x" }, `"${text}" <shop@example.org>`)
      const mail = template.write("ann@example.com", "id", null).toString()
      expect(mail, String(length)).toMatch(/^Subject: \S/m)
      expect(mail, String(length)).toMatch(/^From: \S/m)
      const { from, subject } = await PostalMime.parse(mail)
      expect([subject, from]).toEqual([text, { name: text, address: "shop@example.org" }])
    }
  })

  it("takes the sender's address from the angle brackets, its domain in ASCII", async () => {
    expect((await written({ body: "x" }, '"Käse, Shop" <shop@käse.example>')).template.sender).toBe(
      "shop@xn--kse-qla.example"
    )
    expect((await written({ body: "x" }, "shop@example.org")).template.sender).toBe("shop@example.org")
  })

  it("needs something to read", () => {
    expect(
      [{ title: "x" }, { body: "x" }, { subject: "x" }, { html: "x" }].map((content) =>
        isMailable(message({ content }))
      )
    ).toEqual([true, true, true, true])
    expect(isMailable(message({ content: { data: {}, url: "https://e.org/", body: "" } }))).toBe(false)
  })

  it("carries tracked links and a pixel that differ by recipient alone, in lines that every server takes", async () => {
    const html = `<p>Grüße</p><a href="https://e.org/?a=1&amp;b=2">one</a>${"<b>x</b>".repeat(40)}<a href='https://e.org/2'>two</a>`
    const template = await compose(message({ content: { subject: "S", html } }), "shop@example.org", AT, {
      pixel: (token) => `https://t.example/o/${token}`,
      link: (destination) => (token) => `https://t.example/c/${token}/${Buffer.from(destination).toString("base64url")}`
    })
    const write = (token: string) => template.write("ann@example.com", "id", null, token).toString("latin1")
    const tokens = ["a".repeat(91), "-_Z9".repeat(22) + "xyz"]
    const [first, second] = tokens.map(write)
    expect(
      first!
        .replaceAll(tokens[0]!.slice(0, 70), tokens[1]!.slice(0, 70))
        .replaceAll("a".repeat(21), tokens[1]!.slice(70))
    ).toBe(second)
    for (const [i, text] of [first!, second!].entries()) {
      const part = text.slice(text.indexOf("text/html"))
      expect(part.split("\r\n").every((line) => line.length <= 76)).toBe(true)
      const decoded = Buffer.from(
        part
          .replaceAll("=\r\n", "")
          .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1"
      ).toString()
      const link = (to: string) => `https://t.example/c/${tokens[i]}/${Buffer.from(to).toString("base64url")}`
      expect(decoded).toContain("<p>Grüße</p>")
      expect(decoded).toContain(`<a href="${link("https://e.org/?a=1&b=2")}">one</a>`)
      expect(decoded).toContain(`<a href='${link("https://e.org/2")}'>two</a>`)
      expect(decoded).toContain(`<img src="https://t.example/o/${tokens[i]}"`)
    }
  })
})
