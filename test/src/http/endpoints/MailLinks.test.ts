import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { layerOf } from "../../../../layers/crypto/Links.ts"
import type { ChannelId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { Links } from "../../../../services/ports/engagement/Links.ts"
import type { TestServer } from "../TestServer.ts"
import { LINK_KEY, startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  // Where a click led is told to webhooks.
  const body = { name: "n", url: "https://93.184.216.34/webhook" }
  await server.call("POST", "/api/v1/webhooks", { key: server.ours.secretKey, body })
})
afterAll(() => server.stop())

const links = Effect.runSync(Links.pipe(Effect.provide(layerOf("", LINK_KEY))))
const HOUR = 3_600_000
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
const DESTINATION = "https://shop.example/?a=1&b=%C3%A9"

const mailOf = async (sentAt = Date.now() - HOUR) => {
  const ids = {
    appId: server.ours.appId,
    channelId: uuidv7() as ChannelId,
    notificationId: await server.makeNotification(server.ours),
    sentAt
  }
  const token = links.mailToken(ids)
  return { ids, token, pixel: links.pixelUrl(token), link: links.linkUrl(ids.notificationId, DESTINATION)(token) }
}

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${server.baseUrl}${path}`, { method, redirect: "manual", headers: { "user-agent": BROWSER, ...headers } })

const reportOf = async ({ ids }: Awaited<ReturnType<typeof mailOf>>, type: string) =>
  (await server.reports()).find(
    (report) =>
      report.notificationId === ids.notificationId && report.recipientId === ids.channelId && report.type === type
  )

/** The same text with another character at each place, in turn. */
const tampered = (text: string) =>
  [...text].map((c, at) => text.slice(0, at) + (c === "A" ? "B" : "A") + text.slice(at + 1))

describe("mail", () => {
  it("is counted as opened by its pixel, which is never kept by anybody", async () => {
    const mail = await mailOf()
    const answer = await get(mail.pixel)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/gif"])
    expect(answer.headers.get("cache-control")).toBe("no-store")
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 6)
        .toString()
    ).toBe("GIF89a")
    expect(await reportOf(mail, "opened")).toMatchObject({
      appId: mail.ids.appId,
      recipientId: mail.ids.channelId,
      destination: null,
      isMachine: false
    })
  })

  it("leads where its link says, and says that it was clicked", async () => {
    const mail = await mailOf()
    const answer = await get(mail.link)
    expect([answer.status, answer.headers.get("location")]).toEqual([302, DESTINATION])
    expect(await reportOf(mail, "clicked")).toMatchObject({ destination: DESTINATION, isMachine: false })
  })

  it("knows what machines do", async () => {
    const head = await mailOf()
    expect((await get(head.pixel, {}, "HEAD")).status).toBe(200)
    expect(await reportOf(head, "opened")).toMatchObject({ isMachine: true })
    const ahead = await mailOf()
    await get(ahead.link, { "sec-purpose": "prefetch" })
    expect(await reportOf(ahead, "clicked")).toMatchObject({ isMachine: true })
    const soon = await mailOf(Date.now())
    expect((await get(soon.link)).headers.get("location")).toBe(DESTINATION)
    expect(await reportOf(soon, "clicked")).toMatchObject({ isMachine: true })
  })

  it("leads nowhere once anything of its link was changed, and counts nothing", async () => {
    const mail = await mailOf()
    const before = await server.count("engagements")
    const end = mail.link.slice(mail.link.lastIndexOf("/") + 1)
    const other = await mailOf()
    const paths = [
      ...tampered(mail.token).map((token) => `/c/${token}/${end}`),
      ...tampered(end).map((link) => `/c/${mail.token}/${link}`),
      ...tampered(mail.token).map((token) => `/o/${token}`),
      `/c/${other.token}/${end}`,
      `/c/${mail.token}/${Buffer.from("https://evil.example/").toString("base64url")}`,
      `/c/${mail.token}/https%3A%2F%2Fevil.example`,
      `/c/${mail.token}/${"A".repeat(8000)}`,
      "/o/x"
    ]
    const answers = await Promise.all(paths.map((path) => get(path)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    expect(answers.every(({ headers }) => !headers.has("location"))).toBe(true)
    expect(await server.count("engagements")).toBe(before)
  })

  it("leads nowhere any more once the organization was deleted", async () => {
    const own = await startServer()
    onTestFinished(() => own.stop())
    const [{ appId }, notificationId] = [own.ours, await own.makeNotification(own.ours)]
    const token = links.mailToken({
      appId,
      channelId: uuidv7() as ChannelId,
      notificationId,
      sentAt: Date.now() - HOUR
    })
    const path = links.linkUrl(notificationId, DESTINATION)(token)
    await own.sql`UPDATE organizations SET deleted_at = now()
      WHERE id = (SELECT organization_id FROM applications WHERE id = ${appId})`
    const answer = await fetch(own.baseUrl + path, { redirect: "manual", headers: { "user-agent": BROWSER } })
    expect([answer.status, answer.headers.get("location")]).toEqual([404, null])
  })

  it("leads on though nothing can be counted", async () => {
    const mail = await mailOf()
    server.outage.isDown = true
    try {
      expect((await get(mail.link)).headers.get("location")).toBe(DESTINATION)
      expect((await get(mail.pixel)).status).toBe(200)
    } finally {
      server.outage.isDown = false
    }
  })
})

describe("unsubscribing", () => {
  const subscribe = async (address: string) => {
    const { json } = await server.call("POST", "/api/v1/channels", {
      key: server.ours.secretKey,
      body: { kind: "email", address }
    })
    const id = json.id as ChannelId
    const path = links.unsubscribeUrl(server.ours.appId, id, uuidv7() as NotificationId)
    const status = async () =>
      (await server.call("GET", `/api/v1/channels/${id}`, { key: server.ours.secretKey })).json.status
    const post = (raw: string) =>
      server.call("POST", path, { raw, headers: { "content-type": "application/x-www-form-urlencoded" } })
    return { id, path, status, post }
  }

  it("is asked about by a page and done by one click, which can be taken back", async () => {
    const { path, post, status } = await subscribe("<b>@x.org".replace(/[<>]/g, ""))
    const page = await server.call("GET", path)
    expect(page.headers.get("content-type")).toContain("text/html")
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(page.text).toContain('<form method="post">')
    expect(await status()).toBe("active")
    expect((await post("List-Unsubscribe=One-Click")).status).toBe(200)
    expect(await status()).toBe("unsubscribed")
    expect((await post("List-Unsubscribe=One-Click")).status).toBe(200)
    expect((await server.call("GET", path)).text).toContain('value="resubscribe"')
    expect((await post("action=resubscribe")).text).toContain("again")
    expect(await status()).toBe("active")
  })

  it("takes the form that RFC 8058 prefers, and a form without anything", async () => {
    const { path, status } = await subscribe("form@x.org")
    const form = new FormData()
    form.append("List-Unsubscribe", "One-Click")
    const answer = await fetch(`${server.baseUrl}${path}`, { method: "POST", body: form })
    expect(answer.status).toBe(200)
    expect(await status()).toBe("unsubscribed")
    const other = await subscribe("bare@x.org")
    expect((await fetch(`${server.baseUrl}${other.path}`, { method: "POST" })).status).toBe(200)
    expect(await other.status()).toBe("unsubscribed")
  })

  it("is refused when the link was changed, and for a body of no form", async () => {
    const { path, post, status } = await subscribe("safe@x.org")
    const token = path.slice("/u/".length)
    for (const other of tampered(token)) {
      expect((await server.call("POST", `/u/${other}`, { raw: "List-Unsubscribe=One-Click" })).status).toBe(404)
    }
    expect((await server.call("GET", `/u/${token}A`)).status).toBe(404)
    expect((await post("x".repeat(5000))).status).toBe(413)
    expect(await status()).toBe("active")
  })
})

describe("links of mail and the rate limiter", () => {
  const budget = (requests: number) => ({ requests, windowMs: 60_000 })
  const limited = async (run: () => Promise<void>) => {
    const before = server
    server = await startServer({ rateLimits: { links: budget(2), anonymous: budget(3) } })
    try {
      await run()
    } finally {
      await server.stop()
      server = before
    }
  }
  const leftOf = ({ headers }: Response) => [headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]

  it("are counted by address: beyond the budget readers see the image and go on, and nothing is reported", () =>
    limited(async () => {
      const mails = await Promise.all(Array.from({ length: 6 }, () => mailOf()))
      const answers: Array<Response> = []
      for (const [i, mail] of mails.entries()) answers.push(await get(i % 2 === 0 ? mail.pixel : mail.link))
      expect(answers.map(({ status }) => status)).toEqual([200, 302, 200, 302, 200, 302])
      expect(answers[3]!.headers.get("location")).toBe(DESTINATION)
      expect(answers.map(leftOf)).toEqual([
        ["2", "1"],
        ["2", "0"],
        ["2", "0"],
        ["2", "0"],
        ["2", "0"],
        ["2", "0"]
      ])
      for (const answer of answers) expect(answer.headers.get("x-ratelimit-reset")).toMatch(/^\d+$/)
      expect(await server.count("engagements")).toBe(2)
      // Apart from those who show no key at all.
      expect((await get("/nothing")).status).toBe(404)
    }))

  it("are answered 429 where they lead to the database, and count as anonymous when they are broken", () =>
    limited(async () => {
      const path = links.unsubscribeUrl(server.ours.appId, uuidv7() as ChannelId, uuidv7() as NotificationId)
      const answers = [await get(path), await get(path), await get(path), await get(path, {}, "POST")]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429])
      expect(answers[2]!.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
      const broken = [await get("/o/abc"), await get("/c/abc/def"), await get("/u/abc"), await get("/o/abc")]
      expect(broken.map(({ status }) => status)).toEqual([404, 404, 404, 429])
      expect(leftOf(broken[0]!)).toEqual(["3", "2"])
    }))

  it("are followed also while nobody can count", () =>
    limited(async () => {
      const mail = await mailOf()
      server.limiterOutage.isDown = true
      const answers = [await get(mail.pixel), await get(mail.link)]
      expect(answers.map(({ status }) => status)).toEqual([200, 302])
      expect(await server.count("engagements")).toBe(0)
    }))
})
