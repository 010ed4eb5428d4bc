import type { Page, Request } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import type { Visit } from "./visits.ts"
import { axeFaults, heading, loaded, visitIn } from "./visits.ts"

const DEVICES = 400

let desk: Desk
let owner: string
let sent: string
let webhook: string
let contact: string
let device: string
let segment: string

beforeAll(async () => {
  desk = await openDesk(DEVICES, 10)
  owner = await desk.signIn(OWNER)
  const { url } = desk.system.fleet.description.receivers[0]!
  webhook = (await desk.call("POST", "/api/v1/webhooks", { name: "Shop", url })).body.id
  sent = await desk.send({ to: { all: true }, channels: ["push"], content: { title: "Autumn sale", body: "20 % off" } })
  const { data } = (await desk.call("GET", "/api/v1/devices?limit=1")).body
  device = data[0].id
  const quiet = {
    tags_any: ["news"],
    attributes: [{ name: "plan", op: "in", value: ["pro", "team"] }],
    platforms: ["ios"],
    last_seen: { within_days: 90 },
    engagement: [{ type: "opened", within_days: 30, not: true }]
  }
  segment = (await desk.call("POST", "/api/v1/segments", { name: "Fell silent", filter: quiet })).body.id
  const person = {
    external_id: data[0].user_id,
    email: "person@example.com",
    tags: ["news"],
    attributes: { plan: "pro" }
  }
  contact = (await desk.call("POST", "/api/v1/contacts", person)).body.id
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Visit, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)

const app = () => `/apps/${desk.appId}`

/** The id of a notification to everyone tomorrow. */
const later = async (title: string): Promise<string> => {
  const send_at = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await desk.call("POST", "/api/v1/notifications", { to: { all: true }, content: { title }, send_at })
  return body.id
}

const isStream = (request: Request): boolean => request.headers()["accept"] === "text/event-stream"

/** The page of a notification whose stream says nothing at all, as one on a network that went away; it is cancelled. */
const silenced = (id: string, use: (page: Page) => Promise<void>) =>
  visit("/sign-in", { token: owner }, async (page) => {
    await page.clock.install()
    await page.addInitScript(() => {
      const { fetch } = window
      let isFirst = true
      window.fetch = async (input, init) => {
        const isSilenced = new Headers(init?.headers).get("accept") === "text/event-stream" && isFirst
        if (!isSilenced) return fetch(input, init)
        isFirst = false
        const body = new ReadableStream({
          start: (stream) => init!.signal!.addEventListener("abort", () => stream.error(init!.signal!.reason))
        })
        document.documentElement.dataset["silenced"] = "yes"
        return new Response(body)
      }
    })
    await page.goto(`${app()}/notifications/${id}`)
    await page.locator("html[data-silenced]").waitFor({ state: "attached" })
    await page.getByText("Scheduled", { exact: true }).waitFor()
    await desk.call("POST", `/api/v1/notifications/${id}/cancel`)
    await use(page)
  })

describe("signing in", () => {
  it("leads a stranger to the sign-in page, takes a code, and leads back to where they wanted", async () => {
    await visit(`${app()}/settings/keys`, {}, async (page) => {
      await page.getByLabel("E-mail address").fill(OWNER)
      await page.getByRole("button", { name: "I have a code already" }).click()
      await page.getByLabel("Code", { exact: true }).fill("000000")
      await page.getByRole("alert").waitFor()
      // Pasted with what mail programs put around it; the last digit is enough.
      const code = await desk.loginCode(OWNER)
      await page.getByLabel("Code", { exact: true }).fill(` ${code.slice(0, 3)} ${code.slice(3)}`)
      await page.getByRole("heading", { name: "API keys" }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`${app()}/settings/keys`)
      const [cookie] = (await page.context().cookies()).filter(({ name }) => name === "service_session")
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" })
    })
  })

  it("shows the keys of a first sign-in once", async () => {
    await visit("/", {}, async (page) => {
      const email = "grace@example.com"
      await page.getByLabel("E-mail address").fill(email)
      await page.getByRole("button", { name: "I have a code already" }).click()
      await page.getByLabel("Code", { exact: true }).fill(await desk.loginCode(email))
      await heading(page, "Welcome to Heliograph").waitFor()
      await expect.poll(() => page.getByText(/^sk_/).count()).toBe(1)
      await page.getByRole("button", { name: "I have them, go on" }).click()
      await heading(page, "My first application").waitFor()
    })
  })

  it("begins an ended session again above the page, and nothing typed is lost", async () => {
    const token = await desk.signIn(OWNER)
    await visit(`${app()}/compose`, { token }, async (page) => {
      await page.getByLabel("With any of these tags").fill("news")
      await page.getByLabel("Title", { exact: true }).fill("Half a sentence")
      await desk.ask(token, "mutation { logout }")
      await page.getByLabel("Body", { exact: true }).fill("and the rest")
      const dialog = page.getByRole("dialog", { name: "Your session has ended" })
      await dialog.waitFor()
      await dialog.getByRole("button", { name: "I have a code already" }).click()
      await dialog.getByLabel("Code", { exact: true }).fill(await desk.loginCode(OWNER))
      await dialog.waitFor({ state: "detached" })
      expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("Half a sentence")
      await page.reload()
      expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("Half a sentence")
      expect(await page.getByLabel("Body", { exact: true }).inputValue()).toBe("and the rest")
    })
  })

  it("follows changes live again after a session that ended meanwhile was begun again", async () => {
    const token = await desk.signIn(OWNER)
    const id = await later("Watched on")
    await visit(`${app()}/notifications/${id}`, { token }, async (page) => {
      await page.getByText("Scheduled", { exact: true }).waitFor()
      await desk.ask(token, "mutation { logout }")
      // Nothing was pressed: the stream itself is told.
      const dialog = page.getByRole("dialog", { name: "Your session has ended" })
      await dialog.waitFor()
      await dialog.getByRole("button", { name: "I have a code already" }).click()
      const code = await desk.loginCode(OWNER)
      const [again] = await Promise.all([
        page.waitForRequest(isStream),
        dialog.getByLabel("Code", { exact: true }).fill(code),
        dialog.waitFor({ state: "detached" })
      ])
      await again.response()
      await desk.call("POST", `/api/v1/notifications/${id}/cancel`)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    })
  })

  it("says of an invitation that is not open what to do", async () => {
    await visit("/invitations/" + "A".repeat(43), {}, async (page) => {
      await heading(page, "This invitation is not open").waitFor()
    })
  })
})

describe("notifications", () => {
  it("lists them, filtered as the address says", async () => {
    await visit(`${app()}/notifications`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Autumn sale" }).first().waitFor()
      await page.getByLabel("State").selectOption("SCHEDULED")
      await page.getByText("No notification matches the filters.").waitFor()
      expect(new URL(page.url()).search).toBe("?status=SCHEDULED")
      await page.goBack()
      await page.getByRole("link", { name: "Autumn sale" }).first().click()
      await heading(page, "Autumn sale").waitFor()
    })
  })

  it("accounts for every recipient, says why some got nothing, and finds a person", async () => {
    await visit(`${app()}/notifications/${sent}`, { token: owner }, async (page) => {
      const progress = page.getByRole("region", { name: "Progress" })
      await progress.getByText(`${DEVICES} in all`).waitFor()
      const { counts } = (await desk.call("GET", `/api/v1/notifications/${sent}`)).body
      expect(counts.failed).toBeGreaterThan(0)
      await progress.getByRole("link", { name: new RegExp(`^${counts.failed} failed`) }).click()
      await page.getByLabel("State").waitFor()
      expect(await page.getByLabel("State").inputValue()).toBe("FAILED")
      await page.getByRole("button", { name: "Clear" }).click()
      const [dead] = (await desk.call("GET", `/api/v1/notifications/${sent}/deliveries?status=failed&limit=1`)).body
        .data
      const { user_id } = (await desk.call("GET", `/api/v1/devices/${dead.device_id}`)).body
      await page.getByLabel("Your own id, or an e-mail address").fill(user_id)
      await page.getByRole("button", { name: "Find" }).click()
      const rows = page.getByRole("region", { name: "Recipients" }).locator("tbody tr")
      await expect.poll(() => rows.count()).toBe(1)
      await rows.getByRole("button", { name: /^Device/ }).click()
      await page.getByText(new RegExp(`\\(${dead.error}\\), after`)).waitFor()
      await page.getByLabel("Your own id, or an e-mail address").fill("nobody")
      await page.getByRole("button", { name: "Find" }).click()
      await page.getByText("nobody is not among those whose state is final.").waitFor()
    })
  })

  it("writes one, counts who gets it, reviews and sends it, and follows it live to its end", async () => {
    await visit(`${app()}/compose`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Review and send…" }).click()
      await page.getByRole("alert").getByText("Say who is to get it.").waitFor()
      await page.getByLabel("With any of these tags").fill("news")
      await page.getByLabel("Title", { exact: true }).fill("Written by hand")
      await page.getByLabel("Body", { exact: true }).fill("By a person, in a browser")
      await page.getByLabel("Give up after hours").fill("1,5")
      const half = DEVICES / 2
      await page.getByRole("complementary", { name: "Preview" }).getByText(`${half} recipients`).waitFor()
      await page.getByRole("button", { name: "Review and send…" }).click()
      await page.getByRole("dialog").getByText("After 1 h 30 min").waitFor()
      await page.getByRole("button", { name: `Send to ${half} recipients` }).click()
      await heading(page, "Written by hand").waitFor()
      await page.getByText(/^Everybody is accounted for: 200/).waitFor()
    })
  })

  it("sends to nobody before those are counted whom it goes to now", async () => {
    await visit(`${app()}/compose`, { token: owner }, async (page) => {
      await page.getByText("Everyone", { exact: true }).click()
      await page.getByLabel("Title", { exact: true }).fill("Counted first")
      const side = page.getByRole("complementary", { name: "Preview" })
      const everyone = /\d+/.exec(await side.getByText(/\d+ recipients/).innerText())![0]
      const counting = Promise.withResolvers<void>()
      await page.route(GRAPHQL, async (route) => {
        if (operationOf(route.request()) === "Preview") await counting.promise
        await route.continue()
      })
      await page.getByText("By what they are", { exact: true }).click()
      await page.getByLabel("With any of these tags").fill("news")
      await page.getByRole("button", { name: "Review and send…" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText("Everyone with any of the tags news").waitFor()
      const button = dialog.getByRole("button", { name: "Counting…" })
      expect(await button.getAttribute("aria-disabled")).toBe("true")
      expect(await dialog.innerText()).not.toContain(everyone)
      counting.resolve()
      await dialog.getByRole("button", { name: /^Send to \d+ recipients$/ }).waitFor()
      expect(await dialog.innerText()).not.toContain(everyone)
    })
  })

  it("takes addresses from a file, and shows the e-mail as it looks, harmlessly", async () => {
    await visit(`${app()}/compose`, { token: owner }, async (page) => {
      await page.getByText("Addresses", { exact: true }).click()
      const choose = (name: string, text: string) =>
        page.getByLabel(/^From a file/).setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) })
      await choose("empty.csv", "email\n")
      await page.getByText("empty.csv has nobody in its first column.").waitFor()
      await choose(
        "people.csv",
        'E-Mail,Name\r\n"ada@example.com",Ada\r\ngrace@example.com,Grace\r\nada@example.com,\r\n'
      )
      await expect
        .poll(() => page.locator("textarea[name=emails], textarea").first().inputValue())
        .toBe("ada@example.com\ngrace@example.com")
      await page.getByLabel("Subject of the e-mail").fill("News")
      const html = `<style>p { color: rgb(1, 2, 3) }</style><p style="font-weight: 700">Hello</p>
        <img src="x" onerror="parent.postMessage('broken', '*')"><script>document.title = "broken"</script>
        <meta http-equiv="refresh" content="0; url=/docs"><a href="/docs" target="_top">All</a>`
      await page.getByLabel("HTML of the e-mail").fill(html)
      const mail = page.frameLocator("iframe[title='The e-mail']")
      await mail.getByText("Hello").waitFor()
      const style = await mail.getByText("Hello").evaluate((one) => {
        const { color, fontWeight } = getComputedStyle(one)
        return { color, fontWeight, origin: self.origin, scripts: document.scripts.length, title: document.title }
      })
      expect(style).toEqual({ color: "rgb(1, 2, 3)", fontWeight: "700", origin: "null", scripts: 0, title: "" })
      await mail.getByText("All").click()
      expect(new URL(page.url()).pathname).toBe(`${app()}/compose`)
      expect(await axeFaults(page)).toEqual([])
    })
  })

  it("writes for one platform alone, and says which text is none", async () => {
    await visit(`${app()}/compose`, { token: owner }, async (page) => {
      await page.getByText("Everyone", { exact: true }).click()
      await page.getByLabel("Title", { exact: true }).fill("Loud")
      await page.getByText("For one platform alone").click()
      await page.getByLabel("For iOS").fill('{"aps": ')
      await page.getByText('What is for iOS alone is no JSON: write it as {"name": "value"}.').waitFor()
      await page.getByLabel("For iOS").fill('{"aps": {"sound": "bell.caf"}}')
      await page.getByRole("button", { name: "Review and send…" }).click()
      await page.getByRole("button", { name: /^Send to / }).click()
      await heading(page, "Loud").waitFor()
      const { body } = await desk.call("GET", `/api/v1/notifications/${page.url().split("/").at(-1)!}`)
      expect(body.overrides).toEqual({ apns: { aps: { sound: "bell.caf" } } })
    })
  })

  it("lets go of a draft that the page cannot show, as one of another release", async () => {
    const context = await desk.open({ token: owner })
    try {
      const page = await context.newPage()
      const title = page.getByLabel("Title", { exact: true })
      await page.goto(`${app()}/compose`)
      await title.fill("Loud")
      await page.evaluate(() => {
        const key = Object.keys(sessionStorage).find((name) => name.startsWith("compose"))!
        sessionStorage.setItem(key, '{"tagsAny":5}')
      })
      await page.reload()
      await page.getByRole("button", { name: "Drop what was typed in this tab" }).click()
      await expect.poll(() => title.inputValue()).toBe("")
    } finally {
      await context.close()
    }
  })

  it("schedules, pauses, goes on and cancels, as one who holds the controls", async () => {
    await visit(`${app()}/notifications/${await later("Later")}`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByRole("button", { name: "Go on" }).click()
      await page.getByRole("button", { name: "Cancel…" }).click()
      await page.getByRole("button", { name: "Cancel it for good" }).click()
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
      await expect.poll(() => page.getByRole("button", { name: "Cancel…" }).count()).toBe(0)
    })
  })

  it("follows changes that others make, without a reload", async () => {
    const id = await later("Watched")
    await visit(`${app()}/notifications/${id}`, { token: owner }, async (page) => {
      await page.getByText("Scheduled", { exact: true }).waitFor()
      await desk.call("POST", `/api/v1/notifications/${id}/cancel`)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    })
  })

  it("asks anew for changes when the stream of them has fallen silent", async () => {
    const id = await later("Silence")
    await silenced(id, async (page) => {
      await page.clock.runFor(50_000)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    })
  })

  it.each([
    ["the network is there again", "window.dispatchEvent(new Event('online'))", 0],
    ["a frozen page goes on", "document.dispatchEvent(new Event('resume'))", 0],
    ["somebody looks at a page again", "document.dispatchEvent(new Event('visibilitychange'))", 25_000]
  ])("asks anew for changes when %s", async (_, event, after) => {
    const id = await later("Silence")
    await silenced(id, async (page) => {
      await page.clock.runFor(after)
      await page.evaluate(event)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    })
  })

  it("holds no stream while nobody looks, and follows changes again when somebody does", async () => {
    const id = await later("Looked at again")
    await visit("/sign-in", { token: owner }, async (page) => {
      await page.clock.install()
      const look = (isHidden: boolean) =>
        page.evaluate((isHidden) => {
          Object.defineProperty(document, "hidden", { value: isHidden, configurable: true })
          Object.defineProperty(document, "visibilityState", {
            value: isHidden ? "hidden" : "visible",
            configurable: true
          })
          document.dispatchEvent(new Event("visibilitychange"))
        }, isHidden)
      const first = page.waitForRequest(isStream)
      await page.goto(`${app()}/notifications/${id}`)
      await (await first).response()
      await look(true)
      const ended = page.waitForEvent("requestfailed", isStream)
      await page.clock.runFor(6_000)
      await ended
      await desk.call("POST", `/api/v1/notifications/${id}/cancel`)
      const streams: Array<Request> = []
      page.on("request", (request) => isStream(request) && streams.push(request))
      await page.clock.runFor(60_000)
      expect(streams).toEqual([])
      await look(false)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    })
  })

  it("holds no stream for one that has ended, and goes on counting who opens it", async () => {
    const { data } = (await desk.call("GET", `/api/v1/notifications/${sent}/deliveries?status=sent&limit=1`)).body
    await visit("/sign-in", { token: owner }, async (page) => {
      await page.clock.install()
      const streams: Array<Request> = []
      page.on("request", (request) => isStream(request) && streams.push(request))
      await page.goto(`${app()}/notifications/${sent}`)
      await heading(page, "Autumn sale").waitFor()
      await loaded(page)
      const opened = page.locator(".funnel li", { hasText: "Opened" })
      await opened.waitFor()
      const { device_id } = data[0]
      await desk.call("POST", "/api/v1/events", { type: "opened", notification_id: sent, device_id })
      const counted = async () => (await desk.call("GET", `/api/v1/notifications/${sent}`)).body.counts.opened
      await expect.poll(counted).toBe(1)
      await page.clock.runFor(16_000)
      await expect.poll(() => opened.innerText()).toMatch(/Opened by people\s+1\b/)
      expect(streams).toEqual([])
    })
  })

  it("says how fast it goes, by a computer that slept as well, and of no stall that nobody has told it of", async () => {
    await visit("/sign-in", { token: owner }, async (page) => {
      await page.clock.install()
      await page.addInitScript(() => {
        const { fetch } = window
        window.fetch = async (input, init) => {
          if (new Headers(init?.headers).get("accept") !== "text/event-stream") return fetch(input, init)
          const body = new ReadableStream({
            start: (stream) =>
              addEventListener("say", (event) =>
                stream.enqueue(new TextEncoder().encode((event as CustomEvent).detail))
              )
          })
          document.documentElement.dataset["streamed"] = "yes"
          return new Response(body)
        }
      })
      let counts = {}
      const standing = (done: number) => ({
        status: "SENDING",
        counts: { ...counts, accepted: 1_000_000, pending: 1_000_000 - done }
      })
      await page.route(GRAPHQL, async (route) => {
        if (operationOf(route.request()) !== "Notification") return route.continue()
        const response = await route.fetch()
        const { data } = await response.json()
        counts = data.notification.counts
        await route.fulfill({ response, json: { data: { notification: { ...data.notification, ...standing(0) } } } })
      })
      const lead = page.locator(".lead")
      const say = async (done: number) => {
        const answer = JSON.stringify({ data: { notificationChanged: standing(done) } })
        await page.evaluate(
          (detail) => dispatchEvent(new CustomEvent("say", { detail })),
          `event: next\ndata: ${answer}\n\n`
        )
        await expect.poll(() => lead.innerText()).toContain(`${done.toLocaleString("en")} of`)
        await page.clock.runFor(1_000)
      }
      await page.goto(`${app()}/notifications/${sent}`)
      await page.locator("html[data-streamed]").waitFor({ state: "attached" })
      for (let i = 1; i <= 6; i++) await say(i * 10)
      await expect.poll(() => lead.innerText()).toMatch(/done, \d{1,2} a second/)
      await page.clock.fastForward(30_000)
      for (let i = 0; i < 4; i++) {
        await say(114_000 + i * 10)
        expect(await lead.innerText()).not.toMatch(/\d{3} a second/)
      }
      await page.clock.runFor(18_000)
      await expect.poll(() => lead.innerText()).toContain("Nothing has moved for")
      await page.clock.runFor(12_000)
      await expect.poll(() => lead.innerText()).not.toContain("Nothing has moved for")
    })
  })

  it("says that the connection is lost, keeps what it shows, and goes on by itself", async () => {
    await visit(`${app()}/notifications`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Autumn sale" }).first().waitFor()
      await page.context().setOffline(true)
      await page.getByText(/^No connection to the service since/).waitFor()
      await expect.poll(() => page.getByRole("link", { name: "Autumn sale" }).count()).toBeGreaterThan(0)
      await page.context().setOffline(false)
      await page.getByText(/^No connection to the service since/).waitFor({ state: "detached" })
    })
  })
})

describe("home", () => {
  it("says that nothing moves any more, for how long the oldest waits, and that there is more than it counts", async () => {
    await visit("/sign-in", { token: owner }, async (page) => {
      await page.clock.install()
      const createdAt = new Date(Date.now() - 60_000).toISOString()
      let asked = 0
      await page.route(GRAPHQL, async (route) => {
        if (operationOf(route.request()) !== "Now") return route.continue()
        const response = await route.fetch()
        const { data } = await response.json()
        const one = data.recent.nodes[0]
        // It moves once, and then stands still.
        const counts = { ...one.counts, accepted: 1_000, pending: asked++ === 0 ? 900 : 100 }
        const sending = {
          nodes: [{ ...one, status: "SENDING", createdAt, sendAt: null, counts }],
          pageInfo: { hasNextPage: true }
        }
        await route.fulfill({ response, json: { data: { ...data, sending } } })
      })
      await page.goto(app())
      const figure = (name: string) => page.locator(".figure", { hasText: name }).locator("dd")
      const waited = async () => Number(/\d+/.exec(await figure("Oldest waits for").innerText())![0])
      await expect.poll(() => figure("A second").innerText()).toMatch(/[1-9]\d*$/)
      const before = await waited()
      await page.clock.runFor(10_000)
      const shown = async () => ({
        speed: await figure("A second").innerText(),
        waiting: await figure("Waiting").innerText(),
        isLonger: (await waited()) > before + 8
      })
      await expect.poll(shown).toEqual({ speed: "at least 0", waiting: "at least 100", isLonger: true })
    })
  })

  it("has nobody look after what was sent again, or can never be", async () => {
    await visit("/sign-in", { token: owner }, async (page) => {
      await page.route(GRAPHQL, async (route) => {
        if (operationOf(route.request()) !== "Attention") return route.continue()
        const response = await route.fetch()
        const { data } = await response.json()
        const letter = { kind: "NOTIFICATION", canReplay: false, createdAt: new Date().toISOString() }
        const nodes = [
          { ...letter, id: "gone" },
          { ...letter, id: "waits", canReplay: true }
        ]
        const deadLetters = { nodes, pageInfo: { hasNextPage: false } }
        await route.fulfill({ response, json: { data: { ...data, deadLetters } } })
      })
      await page.goto(app())
      await page.getByText("1 dead letter", { exact: true }).waitFor()
    })
  })
})

describe("settings", () => {
  it("makes a key, shows it once, and revokes it", async () => {
    await visit(`${app()}/settings/keys`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "New key…" }).click()
      await page.getByLabel("Name").fill("Shop server")
      await page.getByRole("button", { name: "Make the key" }).click()
      const key = await page.getByRole("dialog").getByText(/^sk_/).innerText()
      const list = `${desk.system.url}/api/v1/notifications`
      const status = async () => (await fetch(list, { headers: { authorization: `ApiKey ${key}` } })).status
      expect(await status()).toBe(200)
      await page.getByRole("button", { name: "I have it" }).click()
      await page.getByRole("button", { name: "Revoke… Shop server" }).click()
      await page.getByRole("button", { name: "Revoke it" }).click()
      await expect.poll(status).toBe(401)
    })
  })

  it("says which field of a credential is wrong, and keeps what was typed", async () => {
    await visit(`${app()}/settings/credentials`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Change… E-mail" }).click()
      await page.getByLabel("Server").fill("nonsense")
      await page.getByRole("button", { name: "Save" }).click()
      const field = page.getByLabel("Server")
      await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true")
      expect(await field.inputValue()).toBe("nonsense")
    })
  })

  it("asks the provider about a credential, when it is saved as well", async () => {
    await visit(`${app()}/settings/credentials`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Check E-mail" }).click()
      await page.getByText("The provider accepts it.").waitFor()
      await page.getByRole("button", { name: "Change… E-mail" }).click()
      await page.getByLabel("Server").fill("smtp://127.0.0.1:1")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("The provider could not be asked:").waitFor()
      await page.getByRole("button", { name: "Change… E-mail" }).click()
      await page.getByLabel("Server").fill(desk.system.fleet.description.credentials.smtp.url)
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("The provider accepts it.").waitFor()
    })
  })

  it("says what of keys for browsers can be known, and offers a push to this one", async () => {
    await visit(`${app()}/settings/credentials`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Check Web push" }).click()
      await page.getByText("The keys are a pair").waitFor()
      await page.getByRole("button", { name: "Send a push to this browser" }).waitFor()
      expect(await axeFaults(page)).toEqual([])
    })
  })

  it("warns before identity verification is switched off, and on Home afterwards", async () => {
    await visit(`${app()}/settings`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Switch off…" }).click()
      await page.getByText(/^User ids become public information/).waitFor()
      await page.getByRole("button", { name: "Switch it off" }).click()
      await page.getByRole("button", { name: "Switch on" }).waitFor()
      await page.getByRole("link", { name: "Home" }).click()
      await page.getByText("Identity verification is off").waitFor()
      await page.getByRole("link", { name: "Switch it on" }).click()
      await page.getByRole("button", { name: "Switch on" }).click()
      await page.getByRole("button", { name: "Switch off…" }).waitFor()
    })
  })

  it("invites, and takes the invitation back", async () => {
    await visit(`${app()}/settings/team`, { token: owner }, async (page) => {
      await page.getByLabel("Invite by e-mail").fill("alan@example.com")
      await page.getByRole("button", { name: "Invite" }).click()
      await page.getByRole("button", { name: "Take back the invitation of alan@example.com" }).click()
      await expect.poll(() => page.getByText("alan@example.com", { exact: true }).count()).toBe(0)
    })
  })
})

const PAGES = () => [
  app(),
  `${app()}/notifications`,
  `${app()}/notifications/${sent}`,
  `${app()}/compose`,
  `${app()}/webhooks`,
  `${app()}/webhooks/${webhook}`,
  `${app()}/contacts`,
  `${app()}/contacts/${contact}`,
  `${app()}/contacts/${contact}?edit=yes`,
  `${app()}/devices`,
  `${app()}/devices/${device}`,
  `${app()}/segments`,
  `${app()}/segments/${segment}`,
  `${app()}/segments/new`,
  `${app()}/imports`,
  `${app()}/dead-letters`,
  `${app()}/settings`,
  `${app()}/settings/keys`,
  `${app()}/settings/credentials`,
  `${app()}/settings/team`,
  `${app()}/settings/audit`,
  `${app()}/settings/organization-log`,
  `/organizations/${desk.organizationId}`,
  `/organizations/${desk.organizationId}/log`,
  "/account"
]

/** Controls that change something; what only leads elsewhere, filters or copies is for everybody. */
const CHANGING =
  /^(Write|Pause|Go on|Cancel|Send|Review|New |Switch|Save|Set up|Change…|Mend|Remove|Revoke|Make|Invite|Take back|Hand over|Delete|Enable|Deliver|Sign |Edit|Add|Import|Unsubscribe|Subscribe)/

describe("roles", () => {
  it("shows a viewer every page, and no control that would answer 403", async () => {
    const email = "viewer@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    const token = await desk.signIn(email)
    for (const path of PAGES().filter((path) => path !== "/account")) {
      await visit(path, { token }, async (page) => {
        await page.locator("h1").waitFor()
        await loaded(page)
        const names = await page.locator("main").locator("button, a.button").allInnerTexts()
        expect(names.filter((name) => CHANGING.test(name))).toEqual([])
        expect(await page.locator("main .notice.danger").count()).toBe(0)
      })
    }
  })
})

describe("everybody", () => {
  it("loads 150 KB at most for a first view, and keeps every file for ever", async () => {
    const context = await desk.open({ token: owner })
    const page = await context.newPage()
    const files: Array<Promise<readonly [string, number]>> = []
    page.on("requestfinished", (request) => {
      if (!request.url().includes("/api/"))
        files.push(request.sizes().then(({ responseBodySize }) => [request.url(), responseBodySize] as const))
    })
    await page.goto(app())
    await heading(page, "My first application").waitFor()
    await loaded(page)
    const sizes = await Promise.all(files)
    expect(sizes.length).toBeGreaterThan(3)
    expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(150_000)
    const asset = sizes.find(([url]) => url.endsWith(".js"))![0]
    const { headers } = await fetch(asset, { headers: { "accept-encoding": "gzip;q=0, br" } })
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(headers.get("content-encoding")).toBe("br")
    const policy = (await fetch(desk.system.url, { headers: { accept: "text/html" } })).headers.get(
      "content-security-policy"
    )
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(policy).toContain("script-src 'self'")
    await context.close()
  })

  it.each(["light", "dark"] as const)("finds no fault with axe on any page: %s", async (colorScheme) => {
    const problems: Array<string> = []
    for (const [path, token] of [...PAGES().map((path) => [path, owner] as const), ["/sign-in", undefined] as const]) {
      await visit(path, { colorScheme, ...(token ? { token } : {}) }, async (page) => {
        await page.locator("h1").waitFor()
        await loaded(page)
        const found = await axeFaults(page)
        problems.push(...found.map((one) => `${path} ${one}`))
      })
    }
    expect(problems).toEqual([])
  })

  it("scrolls no page sideways at 320 pixels", async () => {
    for (const path of PAGES()) {
      await visit(path, { token: owner, width: 320, height: 700 }, async (page) => {
        await page.locator("h1").waitFor()
        await loaded(page)
        expect(`${path} ${await page.evaluate("document.documentElement.scrollWidth")}`).toBe(`${path} 320`)
      })
    }
  })

  it("begins a dialog in its first field, and gives the focus back when Escape closes it", async () => {
    const buttons = [
      [`${app()}/settings/keys`, "New key…"],
      [`${app()}/contacts`, "New contact…"],
      [`${app()}/webhooks`, "New webhook…"]
    ] as const
    for (const [path, name] of buttons) {
      await visit(path, { token: owner }, async (page) => {
        const button = page.getByRole("button", { name }).first()
        await button.focus()
        await page.keyboard.press("Enter")
        await page.getByRole("dialog").waitFor()
        expect(await page.evaluate("document.activeElement.matches('dialog input, dialog select')")).toBe(true)
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        expect(await page.evaluate("document.activeElement.textContent")).toBe(name)
      })
    }
  })

  it("shows the role of each member whole, however narrow the window", async () => {
    const email = "narrow@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    for (const width of [320, 640, 900, 1024]) {
      await visit(`${app()}/settings/team`, { token: owner, width, height: 700 }, async (page) => {
        const role = page.getByLabel(`Role of ${email}`)
        await role.waitFor()
        expect(await role.evaluate((select) => select.getBoundingClientRect().width)).toBeGreaterThan(80)
      })
    }
  })

  it("stays as wide as the window where an application has a long name without spaces", async () => {
    const named = (name: string) => desk.call("PATCH", "/api/v1/application", { name })
    await named("W".repeat(120))
    for (const width of [360, 1280]) {
      await visit(`${app()}/compose`, { token: owner, width, height: 700 }, async (page) => {
        await page.getByLabel("Title", { exact: true }).fill("Hello")
        await page.getByLabel("With any of these tags").fill("news")
        await page.locator(".preview-card").first().waitFor()
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width)
      })
    }
    await named("My first application")
  })

  it("reaches an application's pages, and its menu, by the keyboard alone", async () => {
    await visit(app(), { token: owner }, async (page) => {
      await heading(page, "My first application").waitFor()
      await page.getByRole("button", { name: /^Application: My first/ }).focus()
      await page.keyboard.press("Enter")
      await page.getByRole("link", { name: "My first application" }).waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("link", { name: "Notifications" }).focus()
      await page.keyboard.press("Enter")
      await heading(page, "Notifications").waitFor()
      expect(await page.evaluate("document.activeElement.tagName")).toBe("H1")
    })
  })
})

const GRAPHQL = "**/api/graphql"

const operationOf = (request: Request): string =>
  /^\w+ (\w+)/.exec((request.postDataJSON() as { query: string }).query)![1]!

/** Writes a notification to everyone, up to the button that sends it. */
const review = async (page: Page, title: string) => {
  await page.getByText("Everyone").click()
  await page.getByLabel("Title", { exact: true }).fill(title)
  await page.getByRole("button", { name: "Review and send" }).click()
  return page.getByRole("dialog").getByRole("button", { name: /^Send to/ })
}

/** How many notifications have a title. */
const countOf = async (title: string): Promise<number> => {
  const { body } = await desk.call("GET", "/api/v1/notifications?limit=100")
  const shown = await Promise.all(
    body.data.map(async ({ id }: { id: string }) => (await desk.call("GET", `/api/v1/notifications/${id}`)).body)
  )
  return shown.filter((one) => one.content?.title === title).length
}

const HTML = { contentType: "text/html", body: "<html><h1>There is something between us</h1></html>" }

describe("a network that fails", () => {
  it("says that nobody was signed out", async () => {
    await visit(app(), { token: owner }, async (page) => {
      await page.route(GRAPHQL, (route) =>
        operationOf(route.request()) === "Logout"
          ? route.fulfill({ json: { errors: [{ message: "It broke.", extensions: { code: "internal_error" } }] } })
          : route.continue()
      )
      await page.getByRole("button", { name: /^Account/ }).click()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("alert").getByText("It broke.").waitFor()
    })
  })

  it("sends once when the button is pressed twice before it shows that it is busy", async () => {
    await visit(`${app()}/compose`, { token: owner }, async (page) => {
      const button = await review(page, "Pressed twice")
      // As presses do that wait for a page at work.
      await button.evaluate((element) => {
        for (let i = 0; i < 2; i++) (element as HTMLElement).click()
      })
      await heading(page, "Pressed twice").waitFor()
    })
    expect(await countOf("Pressed twice")).toBe(1)
  })

  it("says that no answer comes, and what is sent again after a reload is sent once", async () => {
    await visit(`${app()}/compose`, { token: owner }, async (page) => {
      await page.clock.install()
      await page.reload()
      await page.route(GRAPHQL, async (route) => {
        if (operationOf(route.request()) !== "Send") return route.continue()
        // Done, and never answered.
        await route.fetch()
      })
      const done = page.waitForRequest(
        (request) => request.url().includes("graphql") && operationOf(request) === "Send"
      )
      await (await review(page, "Unanswered")).click()
      await done
      await expect.poll(() => countOf("Unanswered")).toBe(1)
      await page.clock.runFor(61_000)
      await page.getByRole("alert").getByText("has not answered for 60 seconds").waitFor()
      await page.getByRole("alert").getByText("not done twice").waitFor()
      await page.unroute(GRAPHQL)
      await page.clock.resume()
      await page.reload()
      await page.getByRole("button", { name: "Review and send" }).click()
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^Send to/ })
        .click()
      await heading(page, "Unanswered").waitFor()
    })
    expect(await countOf("Unanswered")).toBe(1)
  })

  it("says in words that a balancer answers, and goes on by itself, however slowly", async () => {
    await visit(`${app()}/contacts`, { token: owner, statuses: [429, 502, 503] }, async (page) => {
      await loaded(page)
      // The frame as well, without which nothing leads anywhere.
      await page.getByRole("link", { name: "Devices", exact: true }).waitFor()
      await page.route(GRAPHQL, (route) => route.fulfill({ status: 429, ...HTML }))
      await page.getByRole("link", { name: "Devices", exact: true }).click()
      await page.getByRole("alert").getByText("takes no more requests for now").waitFor()
      await page.route(GRAPHQL, (route) => route.fulfill({ status: 503, ...HTML }))
      await page.getByRole("link", { name: "Segments", exact: true }).click()
      await page.getByText("The service cannot be reached (status 503)").waitFor()
      await page.route(GRAPHQL, (route) => route.fulfill({ status: 502, ...HTML }))
      await page.getByRole("link", { name: "Webhooks", exact: true }).click()
      await page.getByText("The service cannot be reached (status 502)").waitFor()
      await page.getByText("No connection to the service since").waitFor()
      // Longer than the pause between two tries.
      await page.route(GRAPHQL, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 3_300))
        await route.continue().catch(() => undefined)
      })
      await page.getByRole("link", { name: "Shop" }).waitFor()
      await page.getByText("No connection to the service since").waitFor({ state: "hidden" })
      await page.unrouteAll({ behavior: "ignoreErrors" })
    })
  })
})

describe("what is shown to be copied", () => {
  const WITHOUT = "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })"

  it.each([
    { name: "is on the clipboard", script: "" },
    { name: "is on it also over plain http, where pages have no Clipboard API", script: WITHOUT }
  ])("$name", async ({ script }) => {
    await visit(`${app()}/settings/keys`, { token: owner }, async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
      await page.addInitScript(script)
      await page.reload()
      await page.getByRole("button", { name: "New key" }).click()
      await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Copied")
      await page.getByRole("button", { name: "Make the key" }).click()
      await page.getByRole("button", { name: "Copy: Copied" }).click()
      await page.getByRole("button", { name: "Copied: Copied" }).waitFor()
      const key = await page.getByRole("dialog").locator("code").innerText()
      await page.getByRole("button", { name: "I have it" }).click()
      await page.goto(`${app()}/contacts`)
      await page
        .getByLabel(/Search|Find/)
        .first()
        .focus()
      await page.keyboard.press("Control+V")
      expect(
        await page
          .getByLabel(/Search|Find/)
          .first()
          .inputValue()
      ).toBe(key)
    })
  })

  it("is shown whole where a browser lets nobody copy", async () => {
    await visit(`${app()}/segments/${segment}`, { token: owner }, async (page) => {
      await page.addInitScript(`${WITHOUT}; document.execCommand = () => false`)
      await page.reload()
      await page.getByRole("button", { name: "Copy the id of the segment" }).click()
      await page.getByText(segment, { exact: true }).waitFor()
    })
  })
})

describe("what is typed into a dialog", () => {
  const typed = (page: Page, label: string) => page.getByRole("dialog").getByLabel(label, { exact: true })
  const question = (page: Page) => page.getByText("What you typed here is not saved.")

  it("is dropped by no key and no button before a question, and not at all by the browser's way back", async () => {
    await visit(`${app()}/settings/team`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "API keys" }).click()
      await page.getByRole("button", { name: "New key" }).click()
      await typed(page, "Name").fill("Billing")
      // Browsers close a dialog at the second Escape, whatever the page wants.
      for (let i = 0; i < 3; i++) await page.keyboard.press("Escape")
      await question(page).waitFor()
      await page.getByRole("button", { name: "Go on writing" }).click()
      await question(page).waitFor({ state: "hidden" })
      await page.getByRole("dialog").getByRole("button", { name: "Go back" }).click()
      await page.getByRole("button", { name: "Go on writing" }).click()
      await page.goBack()
      await question(page).waitFor()
      expect(await typed(page, "Name").inputValue()).toBe("Billing")
      const asked = page.waitForEvent("dialog")
      const reload = page.evaluate(() => location.reload())
      await (await asked).dismiss()
      await reload
      await page.getByRole("button", { name: "Drop it" }).click()
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
      await page.getByRole("button", { name: "New key" }).click()
      expect(await typed(page, "Name").inputValue()).toBe("")
      await page.keyboard.press("Escape")
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
      // A secret that is shown once stays as well.
      await page.getByRole("button", { name: "New key" }).click()
      await typed(page, "Name").fill("Once")
      await page.getByRole("button", { name: "Make the key" }).click()
      await page.getByRole("button", { name: "I have it" }).waitFor()
      for (let i = 0; i < 3; i++) await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "I have it" }).click()
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
    })
  })

  it("is what deletes an organization: its name", async () => {
    const { createOrganization: made } = await desk.ask(
      owner,
      'mutation { createOrganization(name: "Short lived") { id } }'
    )
    const { createApplication } = await desk.ask(
      owner,
      'mutation($id: ID!) { createApplication(organizationId: $id, name: "Its app") { application { id } } }',
      { id: made.id }
    )
    await visit(`/apps/${createApplication.application.id}/settings/team`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Delete the organization" }).click()
      const erase = page.getByRole("button", { name: "Delete everything" })
      await erase.click()
      await page.getByText("is to be typed as it stands here").waitFor()
      await page.getByLabel("Type Short lived to go on").fill("Short")
      await erase.click()
      await page.getByText("is to be typed as it stands here").waitFor()
      await page.getByLabel("Type Short lived to go on").fill("Short lived")
      await erase.click()
      await page.waitForURL(`**${app()}`)
    })
    const { organizations } = await desk.ask(owner, "{ organizations { id } }")
    expect(organizations.map(({ id }: { id: string }) => id)).not.toContain(made.id)
  })
})

describe("deleting an application", () => {
  it("takes its name, and leads to what is left", async () => {
    const { createOrganization: made } = await desk.ask(
      owner,
      'mutation { createOrganization(name: "Two apps") { id } }'
    )
    const one =
      'mutation($id: ID!) { createApplication(organizationId: $id, name: "Gone soon") { application { id } } }'
    const { createApplication } = await desk.ask(owner, one, { id: made.id })
    await visit(`/apps/${createApplication.application.id}/settings`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Delete the application" }).click()
      const erase = page.getByRole("button", { name: "Delete everything" })
      await erase.click()
      await page.getByText("is to be typed as it stands here").waitFor()
      await page.getByLabel("Type Gone soon to go on").fill("Gone soon")
      await erase.click()
      await page.waitForURL(`**${app()}`)
    })
    const left = "query($id: ID!) { applications(organizationId: $id) { nodes { id } } }"
    expect((await desk.ask(owner, left, { id: made.id })).applications.nodes).toEqual([])
  })

  it("asks for its name as it is, and takes it out of all tabs", async () => {
    const { createOrganization: made } = await desk.ask(owner, 'mutation { createOrganization(name: "Tabs") { id } }')
    const { createApplication } = await desk.ask(
      owner,
      'mutation($id: ID!) { createApplication(organizationId: $id, name: "Two  spaces") { application { id } } }',
      { id: made.id }
    )
    const { id } = createApplication.application
    const { upsertContact } = await desk.ask(
      owner,
      'mutation($id: ID!) { upsertContact(appId: $id, input: { externalId: "ada", email: "ada@spaces.example" }) { id } }',
      { id }
    )
    await visit(`/apps/${id}/settings`, { token: owner }, async (page) => {
      const other = await page.context().newPage()
      await other.goto(`/apps/${id}/contacts/${upsertContact.id}`)
      await other.getByText("ada@spaces.example").first().waitFor()
      await page.getByRole("button", { name: "Delete the application" }).click()
      const dialog = page.getByRole("dialog")
      expect(await dialog.getByRole("heading").innerText()).toBe("Delete Two  spaces?")
      expect(await dialog.locator("label").innerText()).toBe("Type Two  spaces to go on")
      await dialog.getByRole("textbox").fill("Two  spaces")
      await dialog.getByRole("button", { name: "Delete everything" }).click()
      await page.waitForURL(`**${app()}`)
      await heading(other, "No such application").waitFor()
      expect(await other.locator("body").innerText()).not.toContain("ada@spaces.example")
    })
  })

  it("leaves a way to the team, the log and the end of its organization, when it was the last", async () => {
    const token = await desk.signIn("alone@example.com")
    const { organizations } = await desk.ask(token, "{ organizations { id name } }")
    const [{ id, name }] = organizations
    const { applications } = await desk.ask(
      token,
      "query($id: ID!) { applications(organizationId: $id) { nodes { id name } } }",
      { id }
    )
    const [last] = applications.nodes
    await visit(`/apps/${last.id}/settings`, { token }, async (page) => {
      await page.getByRole("button", { name: "Delete the application" }).click()
      await page.getByLabel(`Type ${last.name} to go on`).fill(last.name)
      await page.getByRole("button", { name: "Delete everything" }).click()
      await heading(page, "No application yet").waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.goto(`/apps/${last.id}/settings/team`)
      await page.getByRole("link", { name: "To your applications" }).click()
      await page.getByRole("link", { name: "Account and security" }).last().click()
      await page.getByRole("button", { name: "Delete the account" }).click()
      await page.getByRole("link", { name: `Team of ${name}` }).click()
      await page.getByRole("region", { name: "Members" }).getByText("(you)").waitFor()
      await page.getByRole("link", { name: "Organization log" }).click()
      await page.locator("tbody").getByText("Application deleted").waitFor()
      await page.reload()
      await page.locator("tbody").getByText("Application deleted").waitFor()
      await page.getByRole("link", { name: "To the applications" }).click()
      await page.getByRole("link", { name: `Team and log of ${name}` }).click()
      await page.getByRole("button", { name: "Delete the organization" }).click()
      await page.getByLabel(`Type ${name} to go on`).fill(name)
      await page.getByRole("button", { name: "Delete everything" }).click()
      await page.getByText("You belong to no organization").waitFor()
      await page.goto(`/organizations/${id}`)
      await heading(page, "No such organization").waitFor()
    })
  })
})

describe("a number that a browser would make another", () => {
  const ID = "9007199254740993"
  const changed = "is a number beyond 2^53, which would be changed; send it as a text"

  it("is a text in CSV, and refused in JSON lines", async () => {
    await visit(`${app()}/imports`, { token: owner }, async (page) => {
      await page.getByLabel("Pasted text").check()
      const rows = page.getByLabel("Rows, the first with the names of the columns")
      await rows.fill(`{"external_id":"ND1","attributes":{"id":${ID}}}`)
      await page.getByRole("button", { name: "Look at it" }).click()
      await page.getByText(`Line 1: attributes.id ${changed}`).waitFor()
      await rows.fill(`external_id,shop\nCS1,${ID}`)
      await page.getByRole("button", { name: "Look at it" }).click()
      await page.getByText("The first 1 row can be read.").waitFor()
      await page.getByRole("button", { name: "Import pasted rows" }).click()
      await page.getByText("1 row: 1 new, 0 there before, none refused").waitFor()
    })
    const { body } = await desk.call("GET", "/api/v1/contacts/by-external-id/CS1")
    expect(body.attributes).toEqual({ shop: ID })
  })

  it("is refused where it is typed, until it is a text", async () => {
    const { body } = await desk.call("POST", "/api/v1/contacts", { external_id: "typed", attributes: { plan: "pro" } })
    await visit(`${app()}/contacts/${body.id}?edit=yes`, { token: owner }, async (page) => {
      const value = page.getByLabel("Value of plan")
      const fault = page.getByRole("dialog").getByText(`${ID} ${changed}`)
      await value.fill(ID)
      await fault.waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole("button", { name: "Save", exact: true }).click()
      expect(await value.evaluate((input) => input === document.activeElement)).toBe(true)
      await value.fill(`"${ID}"`)
      await fault.waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
    })
    expect((await desk.call("GET", `/api/v1/contacts/${body.id}`)).body.attributes).toEqual({ plan: ID })
    await visit(`${app()}/segments/new`, { token: owner }, async (page) => {
      await page.getByLabel("Add a condition").selectOption("Attribute")
      await page.getByLabel("Name", { exact: true }).fill("plan")
      await page.getByLabel("Value", { exact: true }).fill(ID)
      await page.getByLabel("What these people have in common").fill("Of one shop")
      await page.getByRole("button", { name: "Make the segment" }).click()
      await page.getByText(`${ID} ${changed}`).waitFor()
      await page.getByLabel("Value", { exact: true }).fill(`"${ID}"`)
      await page.getByRole("button", { name: "Make the segment" }).click()
      await page.getByRole("link", { name: "Of one shop" }).waitFor()
    })
  })
})

describe("a menu of what there is much of", () => {
  it("offers what is not on the first page as well", async () => {
    const make = (name: string) => desk.call("POST", "/api/v1/segments", { name, filter: { tags_any: ["news"] } })
    await make("The oldest")
    await Promise.all(Array.from({ length: 100 }, (_, i) => make(`Segment ${i}`)))
    await visit(`${app()}/compose`, { token: owner }, async (page) => {
      await page.getByText("A segment").click()
      await page.getByLabel("Segment", { exact: true }).selectOption("The oldest")
      await page.getByText("Who gets it").waitFor()
    })
  })
})
