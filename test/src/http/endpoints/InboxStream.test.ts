import { createHmac } from "node:crypto"
import { connect } from "node:net"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Follower } from "../EventReader.ts"
import { follow } from "../EventReader.ts"
import type { Tenant, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
let open: Array<Follower> = []
beforeEach(async () => {
  server = await startServer()
})
afterEach(async () => {
  for (const follower of open) follower.close()
  open = []
  await server.stop()
})

const PATH = "/api/v1/public/inbox/stream"

const headersOf = (user: string, tenant: Tenant = server.ours): Record<string, string> => ({
  authorization: `Public ${tenant.publicKey}`,
  "x-identity-hash": createHmac("sha256", tenant.identitySecret).update(user).digest("hex")
})

const listen = async (user: string, more: Record<string, string> = {}, tenant: Tenant = server.ours) => {
  const follower = await follow(`${server.baseUrl}${PATH}?user_id=${user}`, { ...headersOf(user, tenant), ...more })
  open.push(follower)
  return follower
}

const post = (users: ReadonlyArray<string>, title: string, body?: string) =>
  server.call("POST", "/api/v1/inbox/messages", {
    key: server.ours.secretKey,
    body: { user_ids: users, title, ...(body === undefined ? {} : { body }) }
  })

describe("a live inbox", () => {
  it("tells how many messages are unread, and of each as it comes, to its own user alone", async () => {
    await post(["ann"], "before")
    const ann = await listen("ann")
    expect(ann.response.headers.get("content-type")).toBe("text/event-stream")
    expect(ann.response.headers.get("access-control-allow-origin")).toBe("*")
    const bob = await listen("bob")
    const stranger = await listen("ann", {}, server.theirs)
    await ann.until(() => ann.unread() === 1)
    await post(["ann"], "one")
    await post(["ann", "bob"], "two")
    await ann.until(() => ann.unread() === 3)
    expect(ann.titles()).toEqual(["one", "two"])
    await bob.until(() => bob.unread() === 1)
    expect(bob.titles()).toEqual(["two"])
    const { id } = ann.events.find(({ event }) => event === "message")!.data
    await server.call("POST", `/api/v1/public/inbox/${id}/read?user_id=ann`, { key: server.ours.secretKey })
    await ann.until(() => ann.unread() === 2)
    await stranger.until(() => stranger.comments.length > 0)
    expect(stranger.titles()).toEqual([])
    expect(stranger.unread()).toBe(0)
  })

  it("tells that nothing is unread any more when the contact is deleted", async () => {
    await post(["gone"], "one")
    const reader = await listen("gone")
    await reader.until(() => reader.unread() === 1)
    const { status } = await server.call("DELETE", "/api/v1/contacts/by-external-id/gone", {
      key: server.ours.secretKey
    })
    expect(status).toBe(200)
    await reader.until(() => reader.unread() === 0)
    await post(["gone"], "two")
    await reader.until(() => reader.unread() === 1)
    expect(reader.titles()).toEqual(["two"])
  })

  it("begins with an event that says how soon to connect again, and with no block without an event", async () => {
    const answer = await fetch(`${server.baseUrl}${PATH}?user_id=carl`, { headers: headersOf("carl") })
    let text = ""
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes("\n\n")) break
    }
    const [first] = text.split("\n\n")
    expect(first!.split("\n").map((line) => line.split(":")[0])).toEqual(["", "retry", "event", "id", "data"])
  })

  it("goes on after the last id, by header or by query, with all that was missed", async () => {
    const first = await listen("ann")
    await post(["ann"], "one")
    await first.until(() => first.titles().length === 1 && first.unread() === 1)
    first.close()
    await first.ended
    await post(["ann"], "two")
    await post(["ann"], "three")
    const byHeader = await listen("ann", { "last-event-id": first.lastId()! })
    await byHeader.until(() => byHeader.unread() === 3)
    expect(byHeader.titles()).toEqual(["two", "three"])
    const byQuery = await follow(
      `${server.baseUrl}${PATH}?user_id=ann&last_event_id=${first.lastId()}`,
      headersOf("ann")
    )
    open.push(byQuery)
    await byQuery.until(() => byQuery.unread() === 3)
    expect(byQuery.titles()).toEqual(["two", "three"])
    const lost = await listen("ann", { "last-event-id": "nonsense" })
    await lost.until(() => lost.unread() === 3)
    expect(lost.events[0]).toMatchObject({ event: "reset" })
  })

  it("is for who proves to be its user, and says no before it begins", async () => {
    const url = `${server.baseUrl}${PATH}`
    const { authorization } = headersOf("ann")
    const refused = [
      await follow(`${url}?user_id=ann`),
      await follow(`${url}?user_id=ann`, { authorization: authorization! }),
      await follow(`${url}?user_id=bob`, headersOf("ann")),
      await follow(url, headersOf("ann"))
    ]
    expect(refused.map(({ response }) => response.status)).toEqual([401, 401, 401, 400])
    const preflight = await fetch(`${url}?user_id=ann`, { method: "OPTIONS", headers: { origin: "https://a.example" } })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Last-Event-ID")
    const head = await fetch(`${url}?user_id=ann`, { method: "HEAD", headers: headersOf("ann") })
    expect([head.status, await head.text()]).toEqual([200, ""])
  })

  it("says that it lives while nothing comes", async () => {
    const ann = await listen("ann")
    await ann.until(() => ann.comments.filter((comment) => comment === "beat").length >= 2)
  })

  it("has room for so many readers of an application, and so many at all, and gives their places back", async () => {
    const users = ["a", "b", "c", "d", "e", "f"]
    const readers = await Promise.all(users.map((user) => listen(user)))
    const seventh = await listen("g")
    expect(seventh.response.status).toBe(429)
    expect(seventh.response.headers.get("retry-after")).toBe("5")
    const theirs = await Promise.all(["a", "b"].map((user) => listen(user, {}, server.theirs)))
    await Promise.all(theirs.map((reader) => reader.until(() => reader.unread() === 0)))
    expect((await listen("c", {}, server.theirs)).response.status).toBe(503)
    readers[0]!.close()
    await readers[0]!.ended
    let again = await listen("g")
    // The server hears of a closed connection in its own time.
    while (again.response.status !== 200) again = await listen("g")
    await again.until(() => again.unread() === 0)
  })

  it("is followed so many times by one user, and so many from one address, however many reach out at once", async () => {
    const tries = await Promise.all(Array.from({ length: 30 }, () => listen("ann")))
    // Those for whom there was no room any more when it was taken end at once.
    const isLive = () => tries.filter(({ comments, response }) => response.status === 200 && !comments.includes("end"))
    await Promise.all(
      isLive().map((reader) => reader.until(() => reader.unread() === 0 || reader.comments.includes("end")))
    )
    expect(isLive().length).toBe(4)
    const fifth = await listen("ann")
    expect([fifth.response.status, fifth.response.headers.get("retry-after")]).toEqual([429, "5"])
    const bob = await listen("bob")
    await bob.until(() => bob.unread() === 0)
    expect((await listen("ann", {}, server.theirs)).response.status).toBe(200)
    isLive()[0]!.close()
    // The server hears of a closed connection in its own time.
    let again = await listen("ann")
    const hasPlace = async () => {
      if (again.response.status !== 200) return false
      await again.until(() => again.unread() === 0 || again.comments.includes("end"))
      return again.unread() === 0
    }
    while (!(await hasPlace())) again = await listen("ann")
  })

  it("is followed from so many addresses at a time, and by servers from one", async () => {
    await server.stop()
    server = await startServer({ streamsPerAddress: 2, trustedProxies: "127.0.0.1" })
    const from = (user: string, address: string) => listen(user, { "x-forwarded-for": address })
    const readers = [await from("a", "198.51.100.1"), await from("b", "198.51.100.1")]
    await Promise.all(readers.map((reader) => reader.until(() => reader.unread() === 0)))
    expect((await from("c", "198.51.100.1")).response.status).toBe(429)
    const elsewhere = await from("c", "198.51.100.2")
    await elsewhere.until(() => elsewhere.unread() === 0)
    const asServer = { authorization: `ApiKey ${server.ours.secretKey}`, "x-forwarded-for": "198.51.100.1" }
    const relayed = await listen("d", asServer)
    await relayed.until(() => relayed.unread() === 0)
  })

  it("ends when its key is revoked, and leaves the readers of other keys alone", async () => {
    const ann = await listen("ann")
    const other = await listen("ann", {}, server.theirs)
    await ann.until(() => ann.unread() === 0)
    const asServer = { key: server.ours.secretKey }
    const { data } = (await server.call("GET", "/api/v1/api-keys", asServer)).json
    const { id } = data.find(({ kind }: { kind: string }) => kind === "public")
    expect((await server.call("DELETE", `/api/v1/api-keys/${id}`, asServer)).json).toEqual({ revoked: true })
    await ann.ended
    expect(ann.comments.at(-1)).toBe("end")
    const beats = other.comments.length
    await other.until(() => other.comments.length > beats)
    expect((await listen("ann")).response.status).toBe(401)
  })

  it("ends when the proof of its user is no longer good", async () => {
    const ann = await listen("ann")
    await ann.until(() => ann.unread() === 0)
    const path = "/api/v1/application/identity-secret"
    expect((await server.call("POST", path, { key: server.ours.secretKey, body: {} })).status).toBe(201)
    await ann.ended
    expect((await listen("ann")).response.status).toBe(401)
  })

  it("ends when the node stops, which takes no more readers", async () => {
    const ann = await listen("ann")
    await ann.until(() => ann.unread() === 0)
    server.node.isStopping = true
    await ann.ended
    expect(ann.comments.at(-1)).toBe("end")
    expect((await listen("ann")).response.status).toBe(503)
  })

  it("stays through an outage of the database, and then tells what came meanwhile", async () => {
    const ann = await listen("ann")
    await ann.until(() => ann.unread() === 0)
    server.outage.isDown = true
    await server.sql`
      WITH ann AS (
        INSERT INTO contacts (id, app_id, external_id) VALUES (${uuidv7()}, ${server.ours.appId}, 'ann')
        RETURNING id, app_id
      )
      INSERT INTO inbox_messages (id, app_id, contact_id, title) SELECT ${uuidv7()}, app_id, id, 'one' FROM ann`
    const beats = ann.comments.length
    await ann.until(() => ann.comments.length > beats + 1)
    server.outage.isDown = false
    await ann.until(() => ann.unread() === 1)
    expect(ann.titles()).toEqual(["one"])
  })

  it("waits for a reader who does not read, and then tells all, once and in order", async () => {
    const body = "x".repeat(60_000)
    const live = await listen("slow")
    await live.until(() => live.unread() === 0)
    const socket = connect(server.port, "127.0.0.1")
    let received = ""
    let count = 0
    const isThere = Promise.withResolvers<void>()
    socket.setEncoding("utf8")
    socket.on("data", (text) => {
      received += text
      if (received.includes(`"unread_count":${count}`) && received.includes(`"title":"m${count - 1}."`))
        isThere.resolve()
    })
    const headers = Object.entries(headersOf("slow")).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET ${PATH}?user_id=slow HTTP/1.1\r\nhost: x\r\n${headers.join("")}\r\n`)
    await new Promise<void>((resolve) => socket.once("data", () => resolve()))
    socket.pause()
    // While both are told, each message is asked for twice. What the system keeps for a reader who does not read is its
    // own affair: when it takes no more, ten messages follow, which is less than one answer holds.
    const asked = () => server.outage.count("InboxStore.since")
    for (let alone = 0; alone < 10;) {
      const before = asked()
      await post(["slow"], `m${count++}.`, body)
      await live.until(() => live.titles().length === count)
      alone = asked() - before < 2 ? alone + 1 : 0
    }
    socket.resume()
    await isThere.promise
    socket.destroy()
    const titles = [...received.matchAll(/"title":"m(\d+)\."/g)].map(([, number]) => Number(number))
    expect(titles).toEqual(Array.from({ length: count }, (_, i) => i))
    // The last of them came in few chunks: what was not read was not fetched.
    expect(received.split("event: unread_count").length).toBeLessThan(count - 5)
  })

  it("is told the newest, and to read the inbox anew, when it missed more than one answer holds", async () => {
    const first = await listen("ann")
    await post(["ann"], "seen")
    await first.until(() => first.titles().length === 1)
    first.close()
    await first.ended
    for (let i = 0; i < 105; i++) await post(["ann"], `m${i}`)
    const again = await listen("ann", { "last-event-id": first.lastId()! })
    await again.until(() => again.unread() === 106)
    expect(again.events[0]).toMatchObject({ event: "reset" })
    expect(again.titles()).toEqual(Array.from({ length: 100 }, (_, i) => `m${i + 5}`))
  })
})
