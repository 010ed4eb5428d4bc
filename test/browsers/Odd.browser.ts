import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openChromium } from "./Browsers.ts"
import { againUntil, clickOn, closeAll, deliverUntil, openIn, shown, SUBSCRIPTION, workerOf } from "./PushInChromium.ts"
import { until } from "./Site.ts"
import type { World } from "./World.ts"
import { openWorld, pageOf, storedBy, TEACHABLE_WORKER } from "./World.ts"

/*
 * Browsers that lack something, pages that mean harm, and a service that is not itself, in Chromium.
 */

/** What Safari 16 does not have yet. */
const OLD_SAFARI = `
  delete URL.canParse
  delete URL.parse
  delete Promise.withResolvers
  delete AbortSignal.any
  delete Array.prototype.toSorted
  delete Array.prototype.findLast
  delete Object.groupBy
  if (self.HTMLElement) for (const name of ["popover", "showPopover", "hidePopover", "togglePopover"])
    delete HTMLElement.prototype[name]`

/** As on iOS: the tab cannot be brought to the front. What is opened is asked of the site. */
const IOS_WORKER = `${OLD_SAFARI}
WindowClient.prototype.focus = async () => { throw new Error("not on iOS") }
Clients.prototype.openWindow = async (url) => { await fetch("/opened?" + encodeURIComponent(url)); return {} }
self.addEventListener("message", ({ data: { declared } }) => {
  if (declared) self.dispatchEvent(Object.defineProperties(new PushEvent("push"), {
    notification: { value: declared }, waitUntil: { value: () => undefined } }))
})
${TEACHABLE_WORKER}`

let world: World
let chromium: Awaited<ReturnType<typeof openChromium>>
let options: Readonly<Record<string, unknown>>

beforeAll(async () => {
  world = await openWorld(({ system: { app, url } }) => {
    options = { appId: app.appId, key: app.publicKey, api: url }
    return {
      "/": { body: pageOf({ ...options, swPath: "/ios.js" }) },
      "/ios.js": { body: IOS_WORKER, type: "application/javascript" },
      "/opened": { body: "" }
    }
  })
  chromium = await openChromium({ notify: world.site.url })
  await chromium.browser.addInitScript(SUBSCRIPTION)
})

afterAll(async () => {
  await chromium?.close()
  await world?.close()
})

const open = (path = "/"): Promise<Page> => openIn(chromium.browser, world.site, path)

const happen = (page: Page, type: string, action = ""): Promise<unknown> =>
  page.evaluate(`navigator.serviceWorker.getRegistrations().then(([registration]) =>
    registration.active.postMessage(${JSON.stringify({ type, action })}))`)

const opened = (): ReadonlyArray<string> =>
  world.site.asked.filter((path) => path.startsWith("/opened?")).map((path) => decodeURIComponent(path.slice(8)))

describe("a browser", () => {
  it("whose push service never answers, as Brave's, is given up with words", async () => {
    const page = await open()
    await page.clock.install()
    await page.evaluate(`PushManager.prototype.subscribe = () => {
      window.isAsked = true
      return new Promise(() => undefined)
    }`)
    await page.click("#subscribe")
    await page.waitForFunction("window.isAsked")
    await page.clock.fastForward(31_000)
    await page.waitForFunction("window.result")
    expect(await page.evaluate("window.result")).toMatchObject({
      code: "NOT_SUPPORTED",
      message: expect.stringMatching(/brave:\/\/settings\/privacy.*firewall/)
    })
    await page.close()
  })

  it("on iOS that is not opened from the Home screen says so, and signing out there is no error", async () => {
    const page = await open()
    await page.evaluate(`{
      delete window.PushManager
      for (const [name, value] of [["userAgent", "Mozilla/5.0 (Macintosh)"], ["maxTouchPoints", 5]]) {
        Object.defineProperty(Navigator.prototype, name, { get: () => value })
      }
    }`)
    expect(await clickOn(page, "#subscribe")).toMatchObject({
      code: "NOT_SUPPORTED",
      message: expect.stringMatching(/Add to Home Screen/)
    })
    expect(await clickOn(page, "#unsubscribe")).toEqual({ value: null })
    await page.close()
  })

  it("as old as Safari 16 subscribes, shows, and opens a window where no tab can be brought to the front", async () => {
    const page = await chromium.browser.newPage()
    await page.addInitScript(OLD_SAFARI)
    await page.goto(`${world.site.url}/`)
    await page.waitForSelector("body[data-ready]")
    const worker = await workerOf(page, world.site)
    expect(await clickOn(page, "#subscribe")).toMatchObject({ value: { deviceId: expect.any(String) } })
    const url = `${world.site.url}/`
    const text = JSON.stringify({ title: "Back", url, service_notification_id: randomUUID() })
    await deliverUntil(page, await worker(), text, (all) => all.some(({ title }) => title === "Back"))
    await happen(page, "notificationclick")
    await until("A window", opened, (urls) => urls.includes(url))
    await page.close()
  })

  it("is asked in the click itself, before anything else is waited for", async () => {
    const page = await open()
    const order = await page.evaluate(`(async () => {
      const order = []
      const { requestPermission } = Notification
      Notification.requestPermission = (...all) => { order.push("prompt"); return requestPermission.apply(Notification, all) }
      const { fetch } = window
      window.fetch = (...all) => { order.push("network"); return fetch(...all) }
      const subscribing = window.heliograph.subscribe()
      order.push("returned")
      await subscribing
      return order
    })()`)
    expect((order as ReadonlyArray<string>).slice(0, 2)).toEqual(["prompt", "returned"])
    await page.close()
  })

  it("whose person signs out while the prompt is open is not registered when it is answered", async () => {
    const page = await open()
    await clickOn(page, "#unsubscribe")
    const refusal = await page.evaluate(`(async () => {
      let answer
      Notification.requestPermission = () => new Promise((resolve) => { answer = () => resolve("granted") })
      const subscribing = window.heliograph.subscribe({ userId: "who leaves" }).catch(({ code }) => code)
      await window.heliograph.unsubscribe()
      answer()
      return subscribing
    })()`)
    expect(refusal).toBe("CANCELLED")
    expect(await page.evaluate("heliograph.state()")).toMatchObject({ subscribed: false, deviceId: null })
    await page.close()
  })

  it("has nothing stored for a visitor who was not asked", async () => {
    const fresh = await openChromium()
    try {
      const page = await openIn(fresh.browser, world.site)
      expect(await storedBy(page)).toEqual([])
      expect(await page.evaluate("heliograph.state()")).toMatchObject({ subscribed: false, deviceId: null })
      expect(await storedBy(page)).toEqual([])
    } finally {
      await fresh.close()
    }
  })
})

describe("a worker", () => {
  it("that takes its time to start is waited for at the first visit", async () => {
    world.site.files.set("/slow.js", {
      body: `self.addEventListener("install", (event) => event.waitUntil(fetch("/late")))\n${TEACHABLE_WORKER}`,
      type: "application/javascript"
    })
    world.site.files.set("/slow", { body: pageOf({ ...options, swPath: "/slow.js", swScope: "/slow/" }) })
    const fresh = await openChromium({ notify: world.site.url })
    try {
      await fresh.browser.addInitScript(SUBSCRIPTION)
      const late = new Promise<() => void>((resolve) => {
        void fresh.browser.route("**/late", (route) => resolve(() => void route.fulfill({ body: "" })))
      })
      const page = await openIn(fresh.browser, world.site, "/slow")
      await page.evaluate(`{
        const { subscribe } = PushManager.prototype
        PushManager.prototype.subscribe = async function (...all) {
          const [{ active }] = await navigator.serviceWorker.getRegistrations()
          window.stateThen = active?.state ?? "none"
          return subscribe.apply(this, all)
        }
        document.querySelector("#subscribe").click()
      }`)
      await page.waitForFunction(`navigator.serviceWorker.getRegistrations().then(([one]) => one?.installing)`)
      expect(await page.evaluate("window.result")).toBeNull()
      ;(await late)()
      await page.waitForFunction("window.result")
      expect(await page.evaluate("[window.result.value?.deviceId.length, window.stateThen]")).toEqual([36, "activated"])
    } finally {
      await fresh.close()
    }
  })

  it("of the site's own, whose next version waits for tabs to close, holds nothing up", async () => {
    const body = (version: number) =>
      `/* ${version} */ self.HELIOGRAPH_IMPORTED = true\nimportScripts("/sw.js" + location.search)`
    world.site.files.set("/own.js", { body: body(1), type: "application/javascript" })
    world.site.files.set("/own", { body: pageOf({ ...options, swPath: "/own.js", swScope: "/own" }) })
    const page = await open("/own")
    const first = await clickOn(page, "#subscribe")
    expect(first).toMatchObject({ value: { deviceId: expect.any(String) } })
    await page.reload()
    await page.waitForSelector("body[data-ready]")
    world.site.files.set("/own.js", { body: body(2), type: "application/javascript" })
    await page.evaluate(`navigator.serviceWorker.getRegistration("/own").then((one) => one.update())`)
    await page.waitForFunction(`navigator.serviceWorker.getRegistration("/own").then((one) => one.waiting)`)
    expect(await clickOn(page, "#subscribe")).toEqual(first)
    await page.evaluate(`navigator.serviceWorker.getRegistration("/own").then((one) => one.unregister())`)
    await page.close()
  })
})

describe("a payload that means harm", () => {
  it.each([
    ["actions named as what every object has", { actions: [{ action: "constructor", title: "Go" }], url: "URL" }],
    ["a prototype", JSON.parse(`{"__proto__":{"url":"javascript:alert(1)","polluted":1},"url":"URL"}`)],
    ["a direction that there is not", { dir: "sideways", url: "URL" }],
    [
      "a hundred actions",
      { actions: Array.from({ length: 100 }, (_, i) => ({ action: `a${i}`, title: "x" })), url: "URL" }
    ],
    ["lone halves of characters", { body: "\ud800", collapse_key: "\udc00", url: "URL" }],
    ["a moment beyond all calendars", { timestamp: 1e300, url: "URL" }],
    ["no account of what it vibrates", { vibrate: "x", silent: true, url: "URL" }]
  ])("is shown, and its click opens its address: %s", async (name, message) => {
    const page = await open()
    const worker = await workerOf(page, world.site)
    await clickOn(page, "#subscribe")
    await closeAll(page)
    const url = `${world.site.url}/of?${encodeURIComponent(name)}`
    // An id, and so a tag, of its own: a browser closes one late, and with it whatever has its tag by then.
    const text = JSON.stringify({ title: "Harm", ...message, url, service_notification_id: randomUUID() })
    await deliverUntil(page, await worker(), text, (all) => all.length === 1 && all[0]!.title === "Harm")
    await happen(page, "notificationclick", "constructor")
    await until("A window", opened, (urls) => urls.includes(url))
    expect(await page.evaluate("({}).polluted")).toBeUndefined()
    await page.close()
  })

  it.each([
    ["too deep to be copied", `{"title":"Deep","data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["a megabyte long", JSON.stringify({ title: "Deep", body: "x".repeat(1_000_000) })]
  ])("is shown though it is %s", async (_, text) => {
    const page = await open()
    const worker = await workerOf(page, world.site)
    await clickOn(page, "#subscribe")
    await closeAll(page)
    await deliverUntil(page, await worker(), text, (all) => all.length === 1)
    await closeAll(page)
    await page.close()
  })
})

/** Hands the worker a message as browsers do that read declarations. */
const declare = (page: Page, declared: unknown): Promise<unknown> =>
  page.evaluate(`navigator.serviceWorker.getRegistrations().then(([registration]) =>
    registration.active.postMessage({ declared: ${JSON.stringify(declared)} }))`)

describe("a declared message", () => {
  it("that the browser hands to the worker as a notification is shown and reported as itself", async () => {
    const page = await open()
    const { value } = (await clickOn(page, "#subscribe")) as { readonly value: { readonly deviceId: string } }
    await closeAll(page)
    const url = `${world.site.url}/declared`
    const id = randomUUID()
    const declared = {
      title: "Declared",
      body: "By the browser",
      navigate: url,
      tag: id,
      dir: "auto",
      lang: "",
      silent: null,
      data: { service_notification_id: id }
    }
    const all = await againUntil(
      "It",
      () => declare(page, declared),
      () => shown(page),
      (notifications) => notifications.some(({ tag }) => tag === id)
    )
    const one = all.find(({ tag }) => tag === id)
    expect(one).toMatchObject({ title: "Declared", body: "By the browser", tag: id })
    expect(one!.data).toMatchObject({
      heliograph: { data: { notificationId: id, deviceId: value.deviceId, url } }
    })
    await closeAll(page)
    await page.close()
  })

  it("is shown once, whether it comes as text, as a notification, or as both", async () => {
    const page = await open()
    const worker = await workerOf(page, world.site)
    await clickOn(page, "#subscribe")
    const { deliver } = await worker()
    await closeAll(page)
    const id = randomUUID()
    const notification = { title: "Once", navigate: "/", tag: id, mutable: true }
    const fields = { title: "Once", service_notification_id: id, service_device_id: id }
    const text = JSON.stringify({ web_push: 8030, mutable: true, notification, ...fields })
    const told = () => page.evaluate<number>(`window.seen.filter(([name]) => name === "message").length`)
    const send = [() => deliver(text), () => deliver(text), () => declare(page, { ...notification, data: fields })]
    for (const act of send) {
      const before = await told()
      await againUntil("It", act, told, (messages) => messages > before)
    }
    expect((await shown(page)).filter(({ title }) => title === "Once").map(({ tag }) => tag)).toEqual([id])
    await closeAll(page)
    await page.close()
  })
})

describe("another script of the site", () => {
  it("keeps its own notifications and their clicks", async () => {
    const page = await open()
    await clickOn(page, "#subscribe")
    await closeAll(page)
    await page.evaluate(`navigator.serviceWorker.getRegistrations().then(([one]) =>
      one.showNotification("Ours", { data: { data: { url: "/elsewhere", actionUrls: {} } } }))`)
    const before = opened().length
    await happen(page, "notificationclick")
    // What comes after it in the worker's turn has been handled when this is shown.
    await happen(page, "pushsubscriptionchange")
    const told = `window.seen.length >= 0 && navigator.serviceWorker.getRegistrations().then(([one]) => one.getNotifications())
      .then((all) => all.map(({ title }) => title))`
    expect(await page.evaluate(told)).toEqual(["Ours"])
    expect(opened().length).toBe(before)
    await closeAll(page)
    await page.close()
  })

  it("of another origin, in a frame, can make the page go nowhere and the worker do nothing", async () => {
    const page = await open()
    await clickOn(page, "#subscribe")
    const attack = `
      const say = (to) => { for (const heliograph of ["navigate", "click", "message", "subscription"])
        to.postMessage({ heliograph, navigate: "https://evil.example/", event: { url: "https://evil.example/" } }, "*") }
      say(parent); say(parent.parent)
      const channel = new BroadcastChannel("heliograph ${String(options["key"])}"); channel.postMessage(true)
      const answer = (registrations) => parent.postMessage({ registrations }, "*")
      Promise.resolve(navigator.serviceWorker?.getRegistrations() ?? []).then((all) => answer(all.length), () => answer(0))`
    world.site.files.set("/attack", { body: `<script>${attack}</script>` })
    const elsewhere = world.site.url.replace("localhost", "127.0.0.1")
    const seen = (await page.evaluate(`new Promise((resolve) => {
      window.seen.length = 0
      addEventListener("message", ({ data }) => data.registrations !== undefined && resolve(data.registrations))
      const frame = document.createElement("iframe")
      frame.src = ${JSON.stringify(`${elsewhere}/attack`)}
      document.body.append(frame)
    })`)) as number
    expect(seen).toBe(0)
    expect(page.url()).toBe(`${world.site.url}/`)
    expect(await page.evaluate("window.seen")).toEqual([])
    await page.close()
  })
})

describe("a service that is not itself", () => {
  it.each([
    ["a network that wants a sign-in", { body: "<html>Sign in</html>", contentType: "text/html" }, "unavailable"],
    ["a gateway's page", { status: 502, body: "<html>Bad gateway</html>" }, "unavailable"],
    ["an answer of another shape", { status: 429, body: "[]" }, "rate_limited"]
  ])("is an error with a code: %s", async (_, answer, code) => {
    const page = await open()
    const headers = { "access-control-allow-origin": "*" }
    await page.route("**/vapid", (route) => route.fulfill({ ...answer, headers }))
    const result = await clickOn(page, "#subscribe")
    expect(result).toMatchObject({ name: "HeliographError", code })
    expect(result["message"]).not.toMatch(/function|undefined/)
    await page.close()
  })

  it("ends an answer in the middle: subscribing fails in time, and the next one works", async () => {
    const page = await open()
    await page.evaluate(`{
      const { fetch } = window
      window.fetch = async (url, init) => {
        if (!String(url).endsWith("/vapid") || window.isWhole) return fetch(url, init)
        window.isAsked = true
        const body = new ReadableStream({ start: (it) => init.signal.addEventListener("abort", () => it.error(init.signal.reason)) })
        return new Response(body)
      }
    }`)
    await page.clock.install()
    await page.click("#subscribe")
    await page.waitForFunction("window.isAsked")
    await page.clock.fastForward(16_000)
    await page.waitForFunction("window.result")
    expect(await page.evaluate("window.result")).toMatchObject({ name: "HeliographError", code: "unavailable" })
    await page.evaluate("window.isWhole = true")
    expect(await clickOn(page, "#subscribe")).toMatchObject({ value: { deviceId: expect.any(String) } })
    await page.close()
  })
})
