import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
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

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)

const app = () => `/apps/${desk.appId}`

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
      expect(await page.getByText(/^sk_/).count()).toBe(1)
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
      await page.getByLabel("Person, by your own id").fill(user_id)
      await page.getByRole("button", { name: "Find" }).click()
      const rows = page.getByRole("region", { name: "Recipients" }).locator("tbody tr")
      await expect.poll(() => rows.count()).toBe(1)
      await rows.getByRole("button", { name: /^Device/ }).click()
      await page.getByText(new RegExp(`\\(${dead.error}\\), after`)).waitFor()
      await page.getByLabel("Person, by your own id").fill("nobody")
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
      const half = DEVICES / 2
      await page.getByRole("complementary", { name: "Preview" }).getByText(`${half} recipients`).waitFor()
      await page.getByRole("button", { name: "Review and send…" }).click()
      await page.getByRole("button", { name: `Send to ${half} recipients` }).click()
      await heading(page, "Written by hand").waitFor()
      await page.getByText(/^Everybody is accounted for: 200/).waitFor()
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

  it("schedules, pauses, goes on and cancels, as one who holds the controls", async () => {
    const { body } = await desk.call("POST", "/api/v1/notifications", {
      to: { all: true },
      content: { title: "Later" },
      send_at: new Date(Date.now() + 86_400_000).toISOString()
    })
    await visit(`${app()}/notifications/${body.id}`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Pause" }).click()
      await page.getByRole("button", { name: "Go on" }).click()
      await page.getByRole("button", { name: "Cancel…" }).click()
      await page.getByRole("button", { name: "Cancel it for good" }).click()
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
      await expect.poll(() => page.getByRole("button", { name: "Cancel…" }).count()).toBe(0)
    })
  })

  it("follows changes that others make, without a reload", async () => {
    const { body } = await desk.call("POST", "/api/v1/notifications", {
      to: { all: true },
      content: { title: "Watched" },
      send_at: new Date(Date.now() + 86_400_000).toISOString()
    })
    await visit(`${app()}/notifications/${body.id}`, { token: owner }, async (page) => {
      await page.getByText("Scheduled", { exact: true }).waitFor()
      await desk.call("POST", `/api/v1/notifications/${body.id}/cancel`)
      await page.getByText("Cancelled", { exact: true }).first().waitFor()
    })
  })

  it("says that the connection is lost, keeps what it shows, and goes on by itself", async () => {
    await visit(`${app()}/notifications`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Autumn sale" }).first().waitFor()
      await page.context().setOffline(true)
      await page.getByText(/^No connection to the service since/).waitFor()
      expect(await page.getByRole("link", { name: "Autumn sale" }).count()).toBeGreaterThan(0)
      await page.context().setOffline(false)
      await page.getByText(/^No connection to the service since/).waitFor({ state: "detached" })
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
