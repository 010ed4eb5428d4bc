import { Context, Effect, Exit, Layer, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import PostalMime from "postal-mime"
import { SMTPServer } from "smtp-server"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as Settings from "../../../layers/config/Settings.ts"
import { layer } from "../../../layers/mail/ServiceMailer.ts"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { OwnMail } from "../../../services/ports/people/ServiceMailer.ts"
import { ServiceMailer } from "../../../services/ports/people/ServiceMailer.ts"

const closers: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  vi.restoreAllMocks()
})

/** The mailer of a node with these settings. */
const mailerOf = async (env: Readonly<Record<string, string>>) => {
  const scope = await Effect.runPromise(Scope.make())
  closers.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const built = Layer.buildWithScope(layer.pipe(Layer.provide(Settings.layer(env))), scope)
  return Context.get(await Effect.runPromise(built), ServiceMailer)
}

const folder = async () => {
  const path = await mkdtemp(join(tmpdir(), "heliograph-mail-"))
  closers.push(() => rm(path, { recursive: true, force: true }))
  return path
}

const mail = (changes: Partial<OwnMail> = {}): OwnMail => ({
  id: uuidv7(),
  to: "ada@example.com" as AccountAddress,
  subject: "Your code – bitte",
  text: "This is your code:\n\n    012345\n",
  html: "<p>012345</p>",
  ...changes
})

/** A server that keeps mails, and answers what it is told to. */
const server = async (auth: { readonly user: string; readonly pass: string } | null = null) => {
  const mails: Array<string> = []
  const answer: { code: number | null } = { code: null }
  const smtp = new SMTPServer({
    disabledCommands: auth === null ? ["AUTH", "STARTTLS"] : ["STARTTLS"],
    authOptional: auth === null,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onAuth: (given, _, done) =>
      given.username === auth?.user && given.password === auth?.pass
        ? done(null, { user: "x" })
        : done(Object.assign(new Error("5.7.8 Wrong password"), { responseCode: 535 })),
    onRcptTo: (_, __, done) =>
      answer.code === null ? done() : done(Object.assign(new Error("5.1.1 Not here"), { responseCode: answer.code })),
    onData: (stream, _, done) => {
      void buffer(stream).then((bytes) => {
        mails.push(bytes.toString())
        done()
      })
    }
  })
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve))
  closers.push(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  const { port } = smtp.server.address() as AddressInfo
  const user = auth === null ? "" : `${encodeURIComponent(auth.user)}:${encodeURIComponent(auth.pass)}@`
  return { mails, answer, port, url: `smtp://${user}127.0.0.1:${port}` }
}

const outcome = (mailer: ServiceMailer["Service"], one: OwnMail) =>
  Effect.runPromise(
    Effect.match(mailer.send(one), { onFailure: ({ isFinal, reason }) => ({ isFinal, reason }), onSuccess: () => null })
  )

describe("the service's mailer", () => {
  it("sends text and HTML from MAIL_FROM through SMTP_URL, signed in, under an id that stays", async () => {
    const smtp = await server({ user: "engine", pass: "p@ss:/1" })
    const mailer = await mailerOf({ SMTP_URL: smtp.url, MAIL_FROM: "Heliograph <push@example.org>" })
    const one = mail()
    expect(await outcome(mailer, one)).toBeNull()
    expect(await outcome(mailer, one)).toBeNull()
    const [first, second] = await Promise.all(smtp.mails.map((text) => PostalMime.parse(text)))
    expect(first).toMatchObject({
      from: { name: "Heliograph", address: "push@example.org" },
      to: [{ address: "ada@example.com" }],
      subject: one.subject,
      messageId: `<${one.id}@example.org>`
    })
    expect(first!.text?.trimEnd()).toBe(one.text.trimEnd())
    expect(first!.html?.trim()).toBe(one.html)
    expect(second!.messageId).toBe(first!.messageId)
  })

  it("says whether another attempt can help", async () => {
    const smtp = await server({ user: "engine", pass: "right" })
    const mailer = await mailerOf({ SMTP_URL: smtp.url })
    smtp.answer.code = 550
    expect(await outcome(mailer, mail())).toMatchObject({ isFinal: true, reason: expect.stringContaining("550") })
    smtp.answer.code = 450
    expect(await outcome(mailer, mail())).toMatchObject({ isFinal: false })
    const wrong = await mailerOf({ SMTP_URL: smtp.url.replace("right", "wrong") })
    expect(await outcome(wrong, mail())).toMatchObject({ isFinal: false, reason: expect.not.stringContaining("wrong") })
    const away = await mailerOf({ SMTP_URL: "smtp://127.0.0.1:1" })
    expect(await outcome(away, mail())).toMatchObject({ isFinal: false })
    const nowhere = await mailerOf({ SMTP_URL: "smtp://mail.invalid" })
    expect(await outcome(nowhere, mail())).toMatchObject({ isFinal: false })
  })

  it("without a server keeps each mail in DATA_DIR/mail for its owner alone, and shows it on the console", async () => {
    const shown = vi.spyOn(console, "log").mockImplementation(() => {})
    const dataDir = await folder()
    const mailer = await mailerOf({ DATA_DIR: dataDir })
    const one = mail()
    expect(await outcome(mailer, one)).toBeNull()
    const path = join(dataDir, "mail")
    const files = (await readdir(path)).toSorted()
    expect(files.map((file) => file.replace(/^[\dTZ-]+-(?=[\da-f]{8}-)/, ""))).toEqual([
      `${one.id}.html`,
      `${one.id}.txt`
    ])
    expect(await readFile(join(path, files[1]!), "utf8")).toBe(
      `To: ada@example.com\nSubject: ${one.subject}\n\n${one.text}`
    )
    expect(await readFile(join(path, files[0]!), "utf8")).toBe(one.html)
    for (const file of files) expect((await stat(join(path, file))).mode & 0o777).toBe(0o600)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect(shown.mock.calls.flat().join("\n")).toContain("    012345\n")
  })

  it("writes no code into the log of a node with a database of its own", async () => {
    const printed = [vi.spyOn(console, "log"), vi.spyOn(console, "error"), vi.spyOn(console, "warn")].map((spy) =>
      spy.mockImplementation(() => {})
    )
    const dataDir = await folder()
    const mailer = await mailerOf({
      DATA_DIR: dataDir,
      DATABASE_URL: "postgres://127.0.0.1/x",
      MASTER_KEY: "ab".repeat(32)
    })
    expect(await outcome(mailer, mail())).toBeNull()
    expect(await readdir(join(dataDir, "mail"))).toHaveLength(2)
    const text = printed.flatMap(({ mock }) => mock.calls.flat()).join("\n")
    expect(text).toContain("There is no SMTP_URL")
    expect(text).not.toContain("012345")
  })

  it("does not lose a mail that it cannot write", async () => {
    const mailer = await mailerOf({ DATA_DIR: "/dev/null/nothing" })
    expect(await outcome(mailer, mail())).toEqual({
      isFinal: false,
      reason:
        "there is no SMTP_URL, and the mail cannot be written to /dev/null/nothing/mail: /dev/null/nothing/mail is not in a folder. It is tried again while it is good"
    })
  })

  // Only root may mount a file system.
  it.skipIf(process.getuid?.() !== 0)(
    "says of a folder that is read-only that it is, and not that it is missing",
    async () => {
      const dataDir = await folder()
      execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", dataDir])
      closers.push(() => Promise.resolve(execFileSync("umount", [dataDir])))
      const { reason } = (await outcome(await mailerOf({ DATA_DIR: dataDir }), mail()))!
      expect(reason).toContain(`cannot be written to ${dataDir}/mail: the file system of ${dataDir} is read-only.`)
    }
  )
})
