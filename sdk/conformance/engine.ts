/* A running service, and what is tried on it with every SDK: the main job. */

import { deepEqual, equal, ok } from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import type { Answer, Driver, Request } from "./Driver.ts"

const root = resolve(import.meta.dirname, "../..")

export interface Engine {
  readonly url: string
  /** Answers its secret key. */
  readonly createApplication: (name: string) => Promise<string>
  readonly receiver: Receiver
  readonly stop: () => Promise<void>
}

interface Posted {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Receiver {
  readonly url: string
  readonly posted: Array<Posted>
}

let given = Math.floor(Math.random() * 1_000)

/**
 * A port of loopback at which nobody listens, for a program that is started in a moment. Not one that the system chooses:
 * it would give the same one to outgoing connections meanwhile.
 */
export const lastingPort = async (): Promise<number> => {
  for (;;) {
    const port = 31_500 + (given++ % 1_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false))
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

export const startEngine = async (): Promise<Engine> => {
  const directory = await mkdtemp(join(tmpdir(), "heliograph-sdks-"))
  const port = await lastingPort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    DATA_DIR: directory,
    PORT: String(port),
    HOST: "127.0.0.1",
    BASE_URL: url,
    PROCESSES: "1",
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8"
  }
  const child = spawn(process.execPath, ["src/main.ts", "serve"], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => (said = (said + String(text)).slice(-8000)))
  const posted: Array<Posted> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    posted.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(204).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    if (child.exitCode === null) {
      child.kill("SIGTERM")
      await once(child, "exit")
    }
    await rm(directory, { recursive: true, force: true })
  }
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false
    )
  for (const end = performance.now() + 120_000; !(await isReady()); await sleep(200)) {
    if (child.exitCode !== null || performance.now() > end) {
      await stop()
      throw new Error(`The engine did not become ready:\n${said}`)
    }
  }
  return {
    url,
    createApplication: async (name) => {
      const args = ["src/main.ts", "app", "create", "--name", name, "--json"]
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env })
      return (JSON.parse(stdout.trim().split("\n").at(-1)!) as { secret_key: string }).secret_key
    },
    receiver: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted },
    stop
  }
}

/** What a new user does, in order. */
export const mainJob = async (driver: Driver, { receiver, url }: Engine, key: string): Promise<void> => {
  const client = { api_key: key, base_url: url }
  const ask = async (call: string, request: Partial<Request> = {}): Promise<Answer> => {
    const answer = await driver.ask({ client, call, ...request })
    if (answer.error !== undefined) throw new Error(`${call}: ${JSON.stringify(answer.error)}`)
    return answer
  }
  const secret = "conformance-secret"
  const path = `/${key.slice(3, 12)}`
  const { value: webhook } = await ask("webhooks.create", {
    body: {
      name: "Conformance",
      url: receiver.url + path,
      secret,
      events: ["NOTIFICATION_FAILED", "NOTIFICATION_SENT"]
    }
  })
  equal(webhook.is_active, true)
  deepEqual(webhook.events, ["NOTIFICATION_FAILED", "NOTIFICATION_SENT"])

  const { items: results } = await ask("devices.import", { generate: 25, as: "items" })
  equal(results!.length, 25)
  equal(
    results!.every(({ created }) => created === true),
    true
  )
  const { items: devices } = await ask("devices.list", { query: { platform: "android", limit: 10 }, as: "items" })
  equal(devices!.length, 25)
  const { items: exported } = await ask("devices.export", { as: "items" })
  deepEqual(exported!.map(({ id }) => id).sort(), devices!.map(({ id }) => id).sort())
  const [first] = devices!
  const { value: changed } = await ask("devices.update", {
    ids: [first.id],
    body: { user_id: "user-42", tags: ["vip"] }
  })
  deepEqual([changed.user_id, changed.tags], ["user-42", ["vip"]])
  const { value: cleared } = await ask("devices.update", { ids: [first.id], body: { user_id: null, tags: [] } })
  deepEqual([cleared.user_id, cleared.tags], [null, []])

  const attributes = { plan: "pro", age: 42, list: [1, null, "é"] }
  const contact = { external_id: "user/42 é", email: "user-42@example.com", attributes, locale: "de" }
  const { value: saved } = await ask("contacts.create", { body: contact })
  equal(saved.created, true)
  const { value: found } = await ask("contacts.getByExternalId", { ids: [contact.external_id] })
  deepEqual([found.id, found.attributes, found.locale], [saved.id, attributes, "de"])

  const send = { to: { all: true }, content: { title: "Hello", data: { order: "42" } }, channels: ["push"] }
  const { value: sent } = await ask("notifications.create", { body: send, options: { idempotency_key: "mailing-1" } })
  const { value: again } = await ask("notifications.create", { body: send, options: { idempotency_key: "mailing-1" } })
  equal(again.id, sent.id)
  let done: any
  for (const end = performance.now() + 60_000; ; await sleep(200)) {
    done = (await ask("notifications.get", { ids: [sent.id] })).value
    if (done.status === "completed") break
    ok(performance.now() < end, `still ${done.status} after a minute`)
  }
  // Nobody has set a credential for Android.
  deepEqual([done.counts.accepted, done.counts.failed + done.counts.skipped, done.counts.pending], [25, 25, 0])
  deepEqual(done.content, send.content)
  const { items: deliveries } = await ask("notifications.deliveries", {
    ids: [sent.id],
    query: { limit: 10 },
    as: "items"
  })
  equal(deliveries!.length, 25)

  const { value: test } = await ask("webhooks.test", { ids: [webhook.id], body: { event: "NOTIFICATION_SENT" } })
  equal(test.delivered, true)
  const { body, headers } = receiver.posted.find(
    (post) => post.path === path && post.headers["x-service-test"] === "true"
  )!
  const delivery = { header: String(headers["x-service-signature"]), body_base64: body.toString("base64") }
  const { value: event } = await ask("parse", { ...delivery, secrets: [secret] })
  equal(event.event, "NOTIFICATION_SENT")
  equal((await ask("verify", { ...delivery, secrets: ["another"] })).value, false)

  const { error } = await driver.ask({ client, call: "webhooks.create", body: { name: "a", url: "http://10.0.0.1/" } })
  deepEqual([error?.kind, error?.status, error?.code], ["api", 400, "validation_error"])
  ok(error!.details!.length > 0)
  const gone = await driver.ask({ client, call: "devices.get", ids: ["01941b2e-7c10-7d3a-9f00-000000000000"] })
  equal(gone.error?.code, "not_found")
  const { value: deleted } = await ask("webhooks.delete", { ids: [webhook.id] })
  equal(deleted.deleted, true)
}
