import { mkdir } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openChromium } from "./Browsers.ts"
import { until } from "./Site.ts"
import type { World } from "./World.ts"
import { openWorld } from "./World.ts"

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")
/** Pictures of the guide. */
/** Where pictures are put (`--pictures`); other runs leave those of the docs as they are. */
const PICTURES = process.env["PICTURES"]

let world: World
let chromium: Awaited<ReturnType<typeof openChromium>>

/** Nothing runs on this page but files of the site and of the service: no inline script, no inline style. */
const POLICY = (api: string) =>
  `default-src 'none'; script-src 'self'; connect-src 'self' ${api}; worker-src 'self'; require-trusted-types-for 'script'; trusted-types heliograph`

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width"></head><body><main><h1>Shop</h1>
<heliograph-inbox></heliograph-inbox></main><script type="module" src="/page.js"></script></body></html>`

const script = (options: unknown): string => `
import { createClient } from "/sdk/browser.js"
import "/sdk/inbox.js"
const user = new URL(location.href).searchParams.get("user")
const identityHash = (userId) => fetch("/hash/" + userId).then((answer) => answer.text())
const heliograph = createClient({ ...${JSON.stringify(options)}, identityHash })
window.heliograph = heliograph
window.element = document.querySelector("heliograph-inbox")
element.theme = "light"
element.inbox = heliograph.inbox({ userId: user })
element.addEventListener("open-message", (event) => { event.preventDefault(); window.opened = event.detail.title })`

beforeAll(async () => {
  world = await openWorld(({ system: { app, url } }) => ({
    "/": { body: page, headers: { "content-security-policy": POLICY(url) } },
    "/page.js": {
      body: script({ appId: app.appId, key: app.publicKey, api: url }),
      type: "application/javascript"
    }
  }))
  chromium = await openChromium({ width: 480, height: 720 })
})

afterAll(async () => {
  await chromium?.close()
  await world?.close()
})

const post = async (user: string, message: Readonly<Record<string, unknown>>): Promise<void> => {
  const { body, status } = await world.call("POST", "/api/v1/inbox/messages", { user_ids: [user], ...message })
  expect([status, body]).toEqual([201, { created: 1 }])
}

const open = async (user: string): Promise<Page> => {
  world.site.files.set(`/hash/${user}`, { body: world.hashOf(user) })
  const tab = await chromium.browser.newPage()
  await tab.goto(`${world.site.url}/?user=${user}`)
  return tab
}

const bell = (tab: Page, unread: number) =>
  tab.getByRole("button", { name: unread === 0 ? "Notifications" : `Notifications, ${unread} unread`, exact: true })

/** What axe finds wrong, in words. The page's policy takes no script that is added: it is evaluated. */
const violations = async (tab: Page): Promise<unknown> => {
  const { readFile } = await import("node:fs/promises")
  await tab.evaluate(await readFile(axe, "utf8"))
  return tab.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`
  )
}

const picture = async (tab: Page, name: string): Promise<void> => {
  if (PICTURES === undefined) return
  await mkdir(PICTURES, { recursive: true })
  // The moment of a message is the one thing that is new each time.
  await tab.evaluate(
    `element.shadowRoot.querySelectorAll("time").forEach((time) => (time.textContent = "23 Nov 2026, 10:00"))`
  )
  await tab.screenshot({ path: join(PICTURES, `${name}.png`) })
}

const dialog = (tab: Page) => tab.getByRole("dialog", { name: "Notifications" })

describe("<heliograph-inbox> in Chromium, under a strict Content-Security-Policy", () => {
  it("shows what there is, is used by keyboard alone, and axe finds nothing wrong in any state", async () => {
    const tab = await open("carla")
    await bell(tab, 0).waitFor()
    await bell(tab, 0).click()
    await dialog(tab).getByText("No notifications yet").waitFor()
    expect(await violations(tab)).toEqual([])
    await tab.keyboard.press("Escape")
    await dialog(tab).waitFor({ state: "hidden" })

    await post("carla", {
      title: "Your order is on its way",
      body: "It arrives tomorrow.",
      url: "https://example.com/orders/42"
    })
    await post("carla", { title: "Price drop", body: "The lamp you liked costs 20 % less." })
    await bell(tab, 2).waitFor()
    await bell(tab, 2).focus()
    await tab.keyboard.press("Enter")
    expect(await bell(tab, 2).getAttribute("aria-expanded")).toBe("true")
    await dialog(tab).getByRole("link", { name: "Your order is on its way" }).waitFor()
    expect(await violations(tab)).toEqual([])
    await picture(tab, "inbox-light")
    await tab.emulateMedia({ colorScheme: "dark" })
    expect(await violations(tab)).toEqual([])
    await picture(tab, "inbox-dark")
    await tab.emulateMedia({ colorScheme: "light", forcedColors: "active" })
    expect(await violations(tab)).toEqual([])
    await tab.emulateMedia({ forcedColors: "none" })

    await dialog(tab).getByRole("button", { name: "Mark as read: Price drop" }).focus()
    await tab.keyboard.press("Enter")
    await bell(tab, 1).waitFor()
    await dialog(tab).getByRole("link", { name: "Your order is on its way" }).click()
    await bell(tab, 0).waitFor()
    expect(await tab.evaluate("window.opened")).toBe("Your order is on its way")
    await tab.keyboard.press("Escape")
    await dialog(tab).waitFor({ state: "hidden" })
    expect(await tab.evaluate("element.shadowRoot.activeElement?.className")).toBe("bell")

    await tab.setViewportSize({ width: 320, height: 480 })
    await bell(tab, 0).click()
    await dialog(tab).waitFor()
    const box = (await dialog(tab).boundingBox())!
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(320)
    await tab.close()
  })

  it("clips nothing at 200 % text in a narrow window, moves nothing, and keeps what colours say where they are forced", async () => {
    await post("greta", { title: "Your order is on its way", body: `It arrives tomorrow. ${"longword".repeat(20)}` })
    const tab = await open("greta")
    await tab.setViewportSize({ width: 320, height: 640 })
    // The page's policy takes no style element; what people set in their browser is the root's size.
    await tab.evaluate(`document.documentElement.style.fontSize = "32px"`)
    await bell(tab, 1).click()
    await dialog(tab)
      .getByRole("link")
      .or(dialog(tab).getByRole("button", { name: "Your order" }))
      .first()
      .waitFor()
    const clipped = await tab.evaluate(`[...element.shadowRoot.querySelectorAll("*")]
      .filter((one) => one.getClientRects().length > 0 && !one.classList.contains("hidden"))
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && getComputedStyle(one).display !== "inline"
        || one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1)
      .map((one) => one.outerHTML.slice(0, 80))`)
    expect(clipped).toEqual([])
    const small = await tab.evaluate(`[...element.shadowRoot.querySelectorAll("button")]
      .filter((one) => one.getClientRects().length > 0)
      .filter((one) => one.getBoundingClientRect().height < 24 || one.getBoundingClientRect().width < 24).length`)
    expect(small).toBe(0)
    expect(await violations(tab)).toEqual([])
    const moving = `element.shadowRoot.getAnimations().length +
      [...element.shadowRoot.querySelectorAll("*")].filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0).length`
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      await tab.emulateMedia({ reducedMotion })
      expect(await tab.evaluate(moving)).toBe(0)
    }
    await tab.emulateMedia({ forcedColors: "active" })
    const borders = `[...element.shadowRoot.querySelectorAll(".badge, li.unread")].map((one) =>
      getComputedStyle(one).borderInlineStartStyle)`
    expect(await tab.evaluate(borders)).toEqual(["solid", "solid"])
    await tab.close()
  })

  it("opens no address that would run as a script, whatever a service says", async () => {
    const tab = await open("hanna")
    const at = { created_at: "2026-11-23T10:00:00Z", read_at: null }
    const item = (id: string, url: string) => ({ id, url, title: id, body: null, data: {}, ...at })
    const data = [
      "javascript:window.hurt=1",
      "data:text/html,<script>alert(1)</script>",
      " jAvAsCrIpT:window.hurt=1",
      "vbscript:x",
      "//"
    ].map((url, i) => item(`m${i}`, url))
    await tab.route("**/public/inbox?*", (route) =>
      route.fulfill({
        body: JSON.stringify({ data, next_cursor: null }),
        headers: { "access-control-allow-origin": "*", "content-type": "application/json" }
      })
    )
    await bell(tab, 0).click()
    await dialog(tab).getByRole("button", { name: "m0", exact: true }).waitFor()
    expect(await tab.evaluate(`[...element.shadowRoot.querySelectorAll("a")].map(({ href }) => href)`)).toEqual([])
    await dialog(tab).getByRole("button", { name: "m0", exact: true }).click()
    expect(await tab.evaluate("[window.hurt, window.opened]")).toEqual([undefined, "m0"])
    await tab.close()
  })

  it("keeps two tabs in step over one stream", async () => {
    const [one, two] = [await open("dora"), await open("dora")]
    await Promise.all([bell(one, 0).waitFor(), bell(two, 0).waitFor()])
    await post("dora", { title: "For both" })
    await Promise.all([bell(one, 1).waitFor(), bell(two, 1).waitFor()])
    await bell(two, 1).click()
    await dialog(two).getByRole("button", { name: "Mark as read: For both" }).click()
    await Promise.all([bell(one, 0).waitFor(), bell(two, 0).waitFor()])
    // The tab that followed is closed: the other takes over, and misses nothing.
    await one.close()
    await post("dora", { title: "For the one that stayed" })
    await bell(two, 1).waitFor()
    await two.close()
  })

  it("pages, says what went wrong and tries again, and runs nothing that a message holds", async () => {
    const evil = `<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>`
    for (let i = 0; i < 24; i++) await post("emil", { title: `Message ${i}` })
    await post("emil", { title: evil, body: evil, url: "https://example.com/?q=%3Cscript%3E" })
    const tab = await open("emil")
    const down = (route: { abort: () => Promise<void> }) => route.abort()
    await bell(tab, 25).waitFor()
    await tab.route("**/public/inbox?*", down)
    await bell(tab, 25).click()
    await dialog(tab).getByText("could not be loaded").waitFor()
    expect(await violations(tab)).toEqual([])
    await tab.unroute("**/public/inbox?*", down)
    await dialog(tab).getByRole("button", { name: "Try again" }).click()
    await dialog(tab).getByRole("link", { name: evil }).waitFor()
    const count = () => dialog(tab).locator(".title").count()
    expect(await count()).toBe(20)
    await dialog(tab).getByRole("button", { name: "Show older" }).click()
    await until("The second page", count, (titles) => titles === 25)
    expect(await violations(tab)).toEqual([])
    expect(await tab.evaluate("window.hurt")).toBeUndefined()
    await dialog(tab).getByRole("button", { name: "Mark all as read" }).click()
    await bell(tab, 0).waitFor()
    await tab.close()
  })
})
