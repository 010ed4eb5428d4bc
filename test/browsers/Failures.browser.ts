import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { asFirefox, openFirefox, permit } from "./Browsers.ts"
import type { Gate } from "./Gate.ts"
import { openGate } from "./Gate.ts"
import { until } from "./Site.ts"
import type { World } from "./World.ts"
import { click, openPage, openWorld, pageOf, shownIn, storedBy } from "./World.ts"

/** Says of each event how often it was prolonged, and how long it took. */
const MEASURED_WORKER = `
let count = 0
let shownAtReport = 0
const { fetch: report } = self
self.fetch = async (...request) => {
  shownAtReport = (await registration.getNotifications()).length
  return report(...request)
}
const { waitUntil } = ExtendableEvent.prototype
ExtendableEvent.prototype.waitUntil = function (promise) {
  const began = performance.now()
  if (this.type === "push") count++
  waitUntil.call(this, promise.finally(async () => {
    if (this.type !== "push") return
    const measured = { count, shownAtReport, ms: performance.now() - began }
    for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage({ measured })
  }))
}
importScripts("/sw.js" + location.search)`

let world: World
let gate: Gate
let firefox: Awaited<ReturnType<typeof openFirefox>>
let page: Page
let options: Readonly<Record<string, unknown>>

beforeAll(async () => {
  world = await openWorld(() => ({
    "/order": { body: "<!doctype html><title>Order</title>" },
    "/measured.js": { body: MEASURED_WORKER, type: "application/javascript" }
  }))
  gate = await openGate(world.system.url)
  const { appId, publicKey } = world.system.app
  options = { appId, key: publicKey, api: gate.url }
  world.site.files.set("/", { body: pageOf(options) })
  for (const user of ["anna", "bert"]) world.site.files.set(`/hash/${user}`, { body: world.hashOf(user) })
  firefox = await openFirefox({ push: world.system.fleet.description.browserPush })
})

afterAll(async () => {
  await firefox?.close()
  await gate?.close()
  await world?.close()
})

beforeEach(async () => {
  gate.set(/./, "open")
  page = await firefox.browser.newPage()
  await openPage(page, world.site.url)
  return () => page.close()
})

const subscribe = async (given: unknown = {}): Promise<string> =>
  (await click(page, "#subscribe", given)).value!["deviceId"] as string

const status = async (id: string): Promise<number> => (await world.device(id)).status

const show = async (id: string, title: string, url = `${world.site.url}/order`): Promise<string> => {
  const { counts, id: notificationId } = await world.send({ to: { device_ids: [id] }, content: { title, url } })
  expect(counts).toMatchObject({ sent: 1 })
  await until(title, alerts, (all) => all.includes(title))
  return notificationId
}

/** Titles of what is on the screen, by Firefox' own windows. */
const alerts = async (): Promise<ReadonlyArray<string>> =>
  JSON.parse(
    await asFirefox(
      firefox.browser,
      `return JSON.stringify([...Services.wm.getEnumerator("alert:alert")]
        .map(({ document }) => document.getElementById("alertTitleLabel").getAttribute("value")))`
    )
  ) as ReadonlyArray<string>

/** A person's click, which alone lets a worker open windows and bring them to the front. */
const clickAlert = (title: string): Promise<string> =>
  asFirefox(
    firefox.browser,
    `[...Services.wm.getEnumerator("alert:alert")]
      .find(({ document }) => document.getElementById("alertTitleLabel").getAttribute("value") === ${JSON.stringify(title)})
      .onAlertClick()`
  )

/** A row of the store of states, changed as nobody but the test would. */
const changeDevice = (change: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => (indexedDB.open("heliograph").onsuccess = ({ target: { result } }) => {
    const states = result.transaction("states", "readwrite").objectStore("states")
    states.openCursor().onsuccess = ({ target: { result: cursor } }) => {
      const { value } = cursor
      Object.assign(value.device, ${change})
      cursor.update(value).onsuccess = () => { result.close(); resolve() }
    }
  }))`)

describe("a click on a notification", () => {
  it("opens the address where no tab shows it, and once", async () => {
    const id = await subscribe()
    const first = await show(id, "First")
    await page.goto("about:blank")
    await clickAlert("First")
    const order = async () => (await firefox.browser.pages()).filter((one) => one.url() === `${world.site.url}/order`)
    const [opened] = await until("A window", order, (all) => all.length === 1)
    const counts = async (of: string) => (await world.call("GET", `/api/v1/notifications/${of}`)).body.counts
    await until(
      "The report",
      () => counts(first),
      ({ clicked }) => clicked === 1
    )

    await openPage(page, world.site.url)
    const second = await show(id, "Second")
    await clickAlert("Second")
    await until(
      "The report",
      () => counts(second),
      ({ clicked }) => clicked === 1
    )
    expect(await order()).toHaveLength(1)
    await opened!.close()
  })
})

describe("a permission", () => {
  it("that is taken back takes the device from the service, and brings it back when it is given again", async () => {
    const before = await subscribe({ tags: ["kept"], userId: "anna" })
    try {
      await permit(firefox.browser, world.site.url, false)
      await openPage(page, world.site.url)
      expect(await status(before)).toBe(404)
      expect(await page.evaluate("heliograph.state()")).toMatchObject({ permission: "denied", subscribed: false })
      expect(await click(page, "#subscribe")).toMatchObject({ code: "PERMISSION_DENIED" })
    } finally {
      await permit(firefox.browser, world.site.url, null)
    }
    await openPage(page, world.site.url)
    const after = (await page.evaluate("heliograph.state()")) as { readonly deviceId: string }
    expect(after).toMatchObject({ permission: "granted", subscribed: true, userId: "anna" })
    expect((await world.device(after.deviceId)).body).toMatchObject({ tags: ["kept"], user_id: "anna" })
  })
})

describe("signing out", () => {
  const person = { userId: "anna", metadata: { address: "12 Rose Lane" } }

  it("without a network leaves nothing of the person, and reaches the service when the network is back", async () => {
    const id = await subscribe(person)
    await show(id, "For Anna's eyes")
    gate.set(/./, "refuse")
    expect(await click(page, "#unsubscribe")).toEqual({ value: null })
    expect(await shownIn(page)).toEqual([])
    expect((await storedBy(page)).join(" ")).not.toMatch(/anna|Rose|browserId/i)
    // Said again, as sites do that sign out on more than one page.
    expect(await click(page, "#unsubscribe")).toEqual({ value: null })
    await openPage(page, world.site.url)
    expect(await status(id)).toBe(200)
    gate.set(/./, "open")
    await page.evaluate(`dispatchEvent(new Event("online"))`)
    await until(
      "The removal",
      () => status(id),
      (answer) => answer === 404
    )
    await until(
      "Nothing",
      () => storedBy(page),
      (stored) => stored.length === 0
    )
  })

  it("takes everything away at once, also when the service is slow and the page is left", async () => {
    const id = await subscribe(person)
    await show(id, "For Anna's eyes")
    gate.set(/./, "hang")
    // What there is at the moment of the first request.
    await page.evaluate(`{
      const { fetch } = window
      window.fetch = async (...request) => {
        const [registration] = await navigator.serviceWorker.getRegistrations()
        window.left ??= [await registration.getNotifications(), await registration.pushManager.getSubscription()]
        return fetch(...request)
      }
      document.querySelector("#unsubscribe").click()
    }`)
    await page.waitForFunction("window.left")
    expect(await page.evaluate("JSON.stringify(window.left)")).toBe("[[],null]")
    expect((await storedBy(page)).join(" ")).not.toMatch(/anna|Rose|browserId/i)
    await page.goto("about:blank")
    gate.set(/./, "open")
    await openPage(page, world.site.url)
    await until(
      "The removal",
      () => status(id),
      (answer) => answer === 404
    )
    expect(await storedBy(page)).toEqual([])
  })

  it("is heard in the other tabs, whose inboxes stop", async () => {
    await subscribe(person)
    const other = await firefox.browser.newPage()
    await openPage(other, world.site.url)
    await other.evaluate(
      `window.stop = (window.inbox = heliograph.inbox({ userId: "anna" })).on("change", () => undefined)`
    )
    const streams = () => gate.asked.filter(({ line }) => line.includes("/inbox/stream")).length
    const before = streams()
    await until("A stream", streams, (count) => count > 0)
    await click(page, "#unsubscribe")
    const told = () =>
      other.evaluate(`window.seen.filter(([name, state]) => name === "change" && !state.subscribed).length`)
    await until("Told", told, (count) => count === 1)
    expect(await other.evaluate("navigator.locks.query().then(({ held }) => held.length)")).toBe(0)
    expect(streams() - before).toBeLessThanOrEqual(1)
    await other.close()
  })

  it("is not needed for what the next person sees: what was for the last one goes from the screen", async () => {
    const id = await subscribe(person)
    await show(id, "For Anna's eyes")
    expect(await subscribe({ userId: "bert" })).toBe(id)
    expect(await shownIn(page)).toEqual([])
  })
})

describe("a browser keeps its row", () => {
  it("when two tabs subscribe at once", async () => {
    const other = await firefox.browser.newPage()
    await openPage(other, world.site.url)
    const both = await Promise.all([click(page, "#subscribe"), click(other, "#subscribe")])
    const ids = both.map(({ value }) => value!["deviceId"])
    expect(new Set(ids).size).toBe(1)
    await other.close()
  })

  it("when the application has a new public key, and the old one is forgotten", async () => {
    const id = await subscribe({ userId: "anna", tags: ["kept"] })
    const { body, status: created } = await world.call("POST", "/api/v1/api-keys", { kind: "public", name: "New" })
    expect(created).toBe(201)
    world.site.files.set("/rotated", { body: pageOf({ ...options, key: body.key }) })
    await openPage(page, `${world.site.url}/rotated`)
    expect(await page.evaluate("heliograph.state()")).toMatchObject({ deviceId: id, userId: "anna" })
    const scripts = `navigator.serviceWorker.getRegistrations().then((all) => all.map(({ active }) => active.scriptURL))`
    expect(await page.evaluate(scripts)).toEqual([expect.stringContaining(body.key)])
    await click(page, "#unsubscribe")
    expect(await status(id)).toBe(404)
    expect(await storedBy(page)).toEqual([])
  })

  it("and compares the VAPID key, and says that it is there, also after its clock was wrong for a while", async () => {
    await subscribe()
    const asks = (path: string) => gate.asked.filter(({ line }) => line.endsWith(path)).length
    const [keys, devices] = [asks("/vapid"), asks("/public/devices")]
    await openPage(page, world.site.url)
    expect([asks("/vapid"), asks("/public/devices")]).toEqual([keys, devices])
    const future = Date.now() + 10 * 365 * 86_400_000
    await changeDevice(`{ checkedAt: ${future} }`)
    await openPage(page, world.site.url)
    expect(asks("/vapid")).toBe(keys + 1)
    await changeDevice(`{ registeredAt: ${future} }`)
    await openPage(page, world.site.url)
    expect(asks("/public/devices")).toBe(devices + 1)
  })
})

describe("the worker", () => {
  it("shows first, and is done with a push long before browsers end it, whatever the service does", async () => {
    const scope = { swPath: "/measured.js", swScope: "/measured/" }
    world.site.files.set("/measured", { body: pageOf({ ...options, ...scope }) })
    await openPage(page, `${world.site.url}/measured`)
    await page.evaluate(`navigator.serviceWorker.addEventListener("message", ({ data }) =>
      data.measured && (window.measured = data.measured))`)
    const id = await subscribe()
    gate.set(/events/, "hang")
    await show(id, "Shown")
    await page.waitForFunction("window.measured")
    const { ms, ...rest } = (await page.evaluate("window.measured")) as Readonly<Record<string, number>>
    expect(rest).toEqual({ count: 1, shownAtReport: 1 })
    expect(ms).toBeLessThan(10_000)
  })
})
