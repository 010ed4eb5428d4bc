import { Layer } from "effect"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Links from "../../../layers/crypto/Links.ts"
import { layer } from "../../../layers/mail/SmtpProvider.ts"
import { SmtpProvider } from "../../../services/ports/sending/Provider.ts"
import { makeCertificates } from "../../../simulators/Certificates.ts"
import { authority, credential, message, startSender, target, type Sender } from "../Sending.ts"

/* Real TLS servers, each with one fault. What the credential shows names the fault and says what to do. */

const DAY = 86_400_000

let sender: Sender
const closing: Array<() => void> = []

beforeAll(async () => {
  const links = Links.layerOf("https://push.example.org", new Uint8Array(32).fill(7))
  sender = await startSender(SmtpProvider, layer.pipe(Layer.provide(links)), { BASE_URL: "https://push.example.org" })
})
afterAll(() => sender.close())
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const serve = async (options: SMTPServerOptions) => {
  const server = new SMTPServer({ logger: false, disabledCommands: ["AUTH"], ...options })
  server.on("error", () => {})
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => server.close())
  return (server.server.address() as AddressInfo).port
}

const send = (url: string) =>
  sender.send({
    message: message({ content: { subject: "News", body: "Hello" } }),
    credential: credential({ kind: "smtp", value: { url, from: "Shop <shop@example.org>" } }),
    targets: [target("ada@example.com"), target("bob@example.com")]
  })

const held = (reason: RegExp) => {
  const outcome = { _tag: "Suspend", reason: expect.stringMatching(reason) }
  return [outcome, outcome]
}

describe("a mail server whose TLS has a fault", () => {
  const now = Date.now()
  const under = (hosts?: ReadonlyArray<string>, from = now - DAY, until = now + DAY) =>
    authority.issue(hosts, { from, until })

  it.each([
    [
      "has expired",
      () => under(undefined, now - 3 * DAY, now - DAY),
      /^tls_certificate_expired: .*renew it.*\(CERT_HAS_EXPIRED\)/
    ],
    ["is not valid yet", () => under(undefined, now + DAY, now + 3 * DAY), /^tls_certificate_not_yet_valid: .*clocks/],
    ["is another's", () => under(["mail.example.org"]), /^tls_certificate_wrong_name: .*ERR_TLS_CERT_ALTNAME_INVALID/],
    ["is signed by nobody known", () => makeCertificates(), /^tls_certificate_unknown_authority: .*OUTBOUND_CA_FILE/]
  ])("is held with its name when its certificate %s, over smtps and STARTTLS alike", async (_, make, reason) => {
    const { cert, key } = make()
    for (const secure of [true, false]) {
      const port = await serve({ secure, cert, key })
      expect(await send(`${secure ? "smtps" : "smtp"}://localhost:${port}`)).toEqual(held(reason))
    }
  })

  it("is held when it knows old versions of TLS alone", async () => {
    const { cert, key } = under()
    const port = await serve({
      secure: true,
      cert,
      key,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "ALL:@SECLEVEL=0"
    })
    expect(await send(`smtps://localhost:${port}`)).toEqual(held(/^tls_version: .*update it/))
  })

  it("is held when it speaks no TLS where the url says so", async () => {
    const port = await serve({ disabledCommands: ["AUTH", "STARTTLS"] })
    expect(await send(`smtps://localhost:${port}`)).toEqual(held(/^tls_not_spoken: .*smtp:\/\//))
  })

  it("is held when it refuses STARTTLS", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).write("220 old.example.org ESMTP\r\n")
      socket.on("data", (data) => {
        const isHello = data.toString().startsWith("EHLO")
        socket.write(isHello ? "250-old.example.org\r\n250 STARTTLS\r\n" : "502 5.5.1 Command not implemented\r\n")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    expect(await send(`smtp://localhost:${port}`)).toEqual(held(/^starttls_missing: .*502 5\.5\.1/))
  })

  it("is tried again when the handshake fails for a reason that may pass", async () => {
    const server = createServer((socket) => socket.on("error", () => {}).end(Buffer.from("15030300020228", "hex")))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const again = { _tag: "Retry", reason: "tls_failed", afterMs: null }
    expect(await send(`smtps://localhost:${port}`)).toEqual([again, again])
  })

  it("gets its mail when there is none", async () => {
    const { cert, key } = under()
    const port = await serve({ secure: true, cert, key })
    expect((await send(`smtps://localhost:${port}`)).map(({ _tag }) => _tag)).toEqual(["Ok", "Ok"])
  })
})
