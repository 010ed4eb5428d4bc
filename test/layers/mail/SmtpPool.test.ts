import { SMTPServer } from "smtp-server"
import { createServer, type AddressInfo, type Socket } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import type { MailBatch } from "../../../layers/mail/MailBatch.ts"
import { mustEncrypt, SmtpPool } from "../../../layers/mail/SmtpPool.ts"

/** A server that says what becomes of a mail, or (false) leaves it without an answer. */
const serverThat = async (answers: (to: string) => boolean, accepts = () => true) => {
  let [connections, most] = [0, 0]
  const taken: Array<string> = []
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    logger: false,
    disableReverseLookup: true,
    maxClients: 1_000,
    onConnect: (_, done) => {
      most = Math.max(most, ++connections)
      done(accepts() ? undefined : new Error("too many connections"))
    },
    onClose: () => void connections--,
    onData: (stream, session, done) => {
      stream.resume()
      stream.on("end", () => {
        const to = session.envelope.rcptTo[0]!.address
        taken.push(to)
        if (answers(to)) done()
      })
    }
  })
  server.on("error", () => {})
  const sockets: Array<Socket> = []
  server.server.on("connection", (socket: Socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.server.address() as AddressInfo
  const target = { host: "127.0.0.1", port, secure: false, auth: null, name: "engine.example.com", tls: {} }
  const pool = new SmtpPool(target, "127.0.0.1", 60_000, 200)
  onTestFinished(async () => {
    pool.close()
    await new Promise<void>((resolve) => server.close(resolve))
  })
  return { pool, taken, sockets, most: () => most }
}

/** Submits mails to `name0`, `name1` …; what became of them. */
const submitted = (
  pool: SmtpPool,
  name: string,
  count: number,
  more: { isHigh?: boolean; mayBegin?: () => boolean } = {}
) => {
  const [sent, withheld, failed]: [Array<number>, Array<number>, Array<string>] = [[], [], []]
  pool.submit({
    count,
    ...more,
    from: "news@example.com",
    to: (index) => `${name}${index}@example.com`,
    write: () => Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
    onSent: (index) => void sent.push(index),
    onFailure: (index, { message }) => void failed.push(`${name}${index}: ${message}`),
    onWithheld: (index) => void withheld.push(index),
    onEnd: () => {}
  })
  return { sent, withheld, failed }
}

const soon = { timeout: 60_000 }

/** A server on its own, with what it answers to a command; and what it was told. */
const scripted = async (answer: (command: string, socket: Socket) => string | null) => {
  const commands: Array<string> = []
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    let rest = ""
    socket.write("220 mail\r\n")
    socket.on("error", () => {})
    socket.once("close", () => closed.resolve())
    socket.on("data", (bytes) => {
      const lines = (rest + bytes.toString()).split("\r\n")
      rest = lines.pop()!
      for (const command of lines) {
        commands.push(command)
        const said = answer(command, socket)
        if (said !== null) socket.write(`${said}\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const target = { host: "127.0.0.1", port, secure: false, auth: null, name: "engine.example.com", tls: {} }
  const pool = new SmtpPool(target, "127.0.0.1")
  onTestFinished(() => {
    pool.close()
    server.close()
  })
  return { pool, commands, closed: closed.promise }
}

/** What a plain server answers. */
const plain = (command: string): string | null =>
  /^EHLO|^MAIL|^RCPT|^\.$|^RSET/.test(command) ? "250 OK" : command === "DATA" ? "354 Go on" : null

describe("a batch that is abandoned", () => {
  const one = (over: Partial<MailBatch> = {}): MailBatch => ({
    count: 1,
    from: "news@example.com",
    to: () => "ann@example.com",
    write: () => Buffer.from("Subject: Hello\r\n\r\nHello\r\n"),
    onSent: () => expect.unreachable(),
    onFailure: () => expect.unreachable(),
    onWithheld: () => expect.unreachable(),
    onEnd: () => expect.unreachable(),
    ...over
  })

  it("is not given to a server that answers its envelope after that", async () => {
    const named = Promise.withResolvers<void>()
    const { closed, commands, pool } = await scripted((command) => {
      if (!command.startsWith("RCPT")) return plain(command)
      named.resolve()
      return null
    })
    const abandon = pool.submit(one())
    await named.promise
    expect(abandon()).toEqual([])
    await closed
    expect(commands.filter((command) => command === "DATA")).toEqual([])
  })

  it("may have come once its final dot was written, and leaves its connection to the next", async () => {
    const ended = Promise.withResolvers<Socket>()
    let dots = 0
    const { commands, pool } = await scripted((command, socket) => {
      if (command !== "." || dots++ > 0) return plain(command)
      ended.resolve(socket)
      return null
    })
    const abandon = pool.submit(one())
    const socket = await ended.promise
    expect(abandon()).toEqual([0])
    expect(abandon()).toEqual([0])
    socket.write("250 taken after all\r\n")
    await new Promise<void>((resolve) => void pool.submit(one({ onSent: () => {}, onEnd: resolve })))
    expect(commands.filter((command) => command.startsWith("EHLO")).length).toBeLessThanOrEqual(2)
    expect(dots).toBe(2)
  })

  it("goes no further in the middle of a mail that the server does not read, and may have come all the same", async () => {
    const begun = Promise.withResolvers<Socket>()
    const { closed, commands, pool } = await scripted((command, socket) => {
      if (command !== "DATA") return plain(command)
      socket.once("data", () => begun.resolve(socket.pause()))
      return "354 Go on"
    })
    // More than both systems hold for a reader that has stopped.
    const large = Buffer.alloc(64 << 20, `${"x".repeat(70)}\r\n`)
    const abandon = pool.submit(one({ write: () => large }))
    const socket = await begun.promise
    expect(abandon()).toEqual([0])
    socket.resume()
    await closed
    expect(commands).not.toContain(".")
  })
})

describe("a server that answers a mail before it has it", () => {
  it("has not taken it", async () => {
    let dots = 0
    const { pool } = await scripted((command) => {
      if (command === ".") dots++
      if (command === "DATA") return "354 Go on\r\n250 2.0.0 queued already"
      return command === "." ? "554 5.6.0 refused" : plain(command)
    })
    const { failed, sent } = submitted(pool, "ann", 1)
    await expect.poll(() => failed).toEqual(["ann0: the server answered before it had the mail"])
    expect([sent, dots]).toEqual([[], 0])
  })
})

describe("a server that leaves some mails without an answer", () => {
  it("is sent the others over as many connections as before, until those that wait are too many", async () => {
    // Each of these keeps a connection.
    const { most, pool, taken } = await serverThat((to) => !/[05]@|^never/.test(to))
    const { failed, sent } = submitted(pool, "n", 140)
    await expect.poll(() => taken.length, soon).toBe(140)
    await expect.poll(() => sent.length, soon).toBe(112)
    expect(failed).toEqual([])
    expect(new Set(taken).size).toBe(140)
    expect(most()).toBeGreaterThan(28)
    // A server that leaves all without an answer is not given more and more.
    submitted(pool, "never", 100)
    await expect.poll(() => taken.length, soon).toBe(148)
    expect(most()).toBeLessThanOrEqual(40)
  })

  it("is given no other connection for what waits where it answers nobody", async () => {
    const { most, pool, taken } = await serverThat(() => false)
    const { withheld } = submitted(pool, "n", 100, { mayBegin: () => taken.length < 8 || performance.now() < until })
    const until = performance.now() + 2_500
    await expect.poll(() => taken.length, soon).toBe(8)
    // What waits is let go by its cancellation, though no connection comes free.
    await expect.poll(() => withheld.length, soon).toBe(92)
    expect([taken.length, most()]).toEqual([8, 8])
  })

  it("is sent what is high before all else, over a connection for it where all others wait", async () => {
    const { pool, taken } = await serverThat((to) => to.startsWith("high"))
    submitted(pool, "n", 100)
    await expect.poll(() => taken.length, soon).toBe(8)
    const high = submitted(pool, "high", 50, { isHigh: true })
    await expect.poll(() => high.sent.length, soon).toBe(50)
    expect(taken.filter((to) => to.startsWith("n"))).toHaveLength(8)
  })

  it("is sent all over a connection for what is high, where it takes no other", async () => {
    let isFull = false
    const { pool, sockets, taken } = await serverThat(
      (to) => !to.startsWith("n"),
      () => !isFull
    )
    const lost = submitted(pool, "n", 8)
    await expect.poll(() => taken.length, soon).toBe(8)
    const high = submitted(pool, "high", 1, { isHigh: true })
    await expect.poll(() => high.sent.length, soon).toBe(1)
    isFull = true
    for (const socket of sockets.slice(0, 8)) socket.destroy()
    await expect.poll(() => lost.failed.length, soon).toBe(8)
    const rest = submitted(pool, "rest", 5)
    await expect.poll(() => rest.sent.length, soon).toBe(5)
    expect(rest.failed).toEqual([])
  })

  it("is sent what is high first over connections that come free", async () => {
    const { pool, taken } = await serverThat(() => true)
    const usual = submitted(pool, "n", 400)
    await expect.poll(() => taken.length, soon).toBeGreaterThan(20)
    const before = taken.length
    const high = submitted(pool, "high", 40, { isHigh: true })
    await expect.poll(() => high.sent.length, soon).toBe(40)
    const last = taken.findLastIndex((to) => to.startsWith("high"))
    // Those between were under way when it came, or the first of new connections.
    expect(taken.slice(before, last).filter((to) => to.startsWith("n")).length).toBeLessThan(40)
    await expect.poll(() => usual.sent.length, soon).toBe(400)
  })
})

describe("a password for an SMTP server", () => {
  const auth = { user: "engine", pass: "secret" }

  it("never leaves this machine unencrypted", () => {
    expect(["192.0.2.1", "10.0.0.1", "2001:db8::1", "::ffff:127.0.0.1"].map((to) => mustEncrypt({ auth }, to))).toEqual(
      [true, true, true, true]
    )
    expect(["127.0.0.1", "127.1.2.3", "::1"].map((to) => mustEncrypt({ auth }, to))).toEqual([false, false, false])
    expect(mustEncrypt({ auth: null }, "192.0.2.1")).toBe(false)
  })
})
