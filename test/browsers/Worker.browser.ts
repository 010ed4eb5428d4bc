import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openChromium } from "./Browsers.ts"
import { clickOn, closeAll, openIn, shown, SUBSCRIPTION, workerOf } from "./PushInChromium.ts"
import { openSite, until } from "./Site.ts"
import type { Site } from "./Site.ts"
import type { World } from "./World.ts"
import { openWorld, pageOf, TEACHABLE_WORKER } from "./World.ts"

let world: World
let chromium: Awaited<ReturnType<typeof openChromium>>
let options: Readonly<Record<string, string>>

const UUID = "01a1fbeb-b609-74f0-81a3-2762ff434392"

beforeAll(async () => {
  world = await openWorld(({ system: { app, url } }) => {
    options = { appId: app.appId, key: app.publicKey, api: url }
    return {
      "/": { body: pageOf({ ...options, swPath: "/worker.js" }) },
      "/worker.js": { body: TEACHABLE_WORKER, type: "application/javascript" }
    }
  })
  chromium = await openChromium({ notify: world.site.url })
  await chromium.browser.addInitScript(SUBSCRIPTION)
})

afterAll(async () => {
  await chromium?.close()
  await world?.close()
})

const open = (path = "/", site: Site = world.site): Promise<Page> => openIn(chromium.browser, site, path)

describe("createClient in Chromium", () => {
  const cases: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, string, RegExp]> = [
    ["a secret key", { key: "sk_123" }, "INVALID_CONFIG", /secret key: revoke it/],
    ["no key", { key: undefined }, "INVALID_CONFIG", /public key/],
    ["no application", { appId: "shop" }, "INVALID_CONFIG", /appId/],
    ["an address that is none", { api: "push.example.com" }, "INVALID_CONFIG", /api/],
    ["a worker of another site", { swPath: "https://cdn.example.com/sw.js" }, "INVALID_CONFIG", /swPath/],
    ["a worker that is not there", { swPath: "/missing.js" }, "INVALID_CONFIG", /must serve .*\/sw\.js/],
    ["a key that nobody has", { key: "pk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }, "unauthorized", /appId/],
    ["another application's id", { appId: UUID }, "unauthorized", /appId/],
    ["a service that is away", { api: "http://127.0.0.1:9" }, "unavailable", /Content-Security-Policy/]
  ]
  it.each(cases)("says what to do about %s", async (_, over, code, words) => {
    world.site.files.set("/case", { body: pageOf({ ...options, ...over }) })
    const page = await open("/case")
    const result = (await page.evaluate("window.result ?? null")) ?? (await clickOn(page, "#subscribe"))
    expect(result).toMatchObject({ name: "HeliographError", code })
    expect((result as { readonly message: string }).message).toMatch(words)
    await page.close()
  })

  it("passes on what the service says of fields and identities, and what keys are missing", async () => {
    const page = await open()
    const long = await clickOn(page, "#subscribe", { tags: ["x".repeat(65)] })
    expect(long).toMatchObject({ code: "validation_error", message: expect.stringMatching(/tags/) })
    world.site.files.set("/hash/anna", { body: "0".repeat(64) })
    const unproven = await clickOn(page, "#subscribe", { userId: "anna" })
    expect(unproven).toMatchObject({ code: "identity_unverified", message: expect.stringMatching(/HMAC-SHA256/) })
    const credential = world.system.fleet.description.credentials.webpush
    expect((await world.call("DELETE", "/api/v1/credentials/webpush")).status).toBe(200)
    const missing = await clickOn(page, "#subscribe")
    expect(missing).toMatchObject({ code: "VAPID_MISSING", message: expect.stringMatching(/credentials\/webpush/) })
    expect((await world.call("PUT", "/api/v1/credentials/webpush", credential)).status).toBe(200)
    await page.close()
  })

  it("says that a site without HTTPS, and a browser without push, have none", async () => {
    const page = await open()
    await page.evaluate(`delete window.PushManager`)
    expect(await clickOn(page, "#subscribe")).toMatchObject({ code: "NOT_SUPPORTED" })
    await page.close()
  })
})

describe("the worker in Chromium", () => {
  it("leaves a site's own worker alone", async () => {
    const own = await openSite(world.system.url, {
      "/": { body: pageOf(options) },
      "/own.js": { body: "/* the site's own */", type: "application/javascript" }
    })
    await chromium.browser.grantPermissions(["notifications"], { origin: own.url })
    const guest = await open("/", own)
    await guest.evaluate(
      `navigator.serviceWorker.register("/own.js").then(() => navigator.serviceWorker.ready).then(() => 1)`
    )
    await clickOn(guest, "#subscribe")
    const scopes = (await guest.evaluate(`navigator.serviceWorker.getRegistrations().then((all) =>
      all.map(({ active, scope }) => [new URL(scope).pathname, new URL(active.scriptURL).pathname]))`)) as Array<unknown>
    expect(scopes.toSorted()).toEqual([
      ["/", "/own.js"],
      ["/heliograph/", "/sw.js"]
    ])
    await guest.close()
    await own.close()
  })

  it("shows what it is given, harmless whatever it holds", async () => {
    const page = await open()
    const worker = await workerOf(page, world.site)
    expect(await clickOn(page, "#subscribe")).toMatchObject({ value: { deviceId: expect.any(String) } })
    const { deliver } = await worker()
    const evil = `<img src=x onerror=alert(1)>`
    const hostile = {
      title: evil,
      body: evil,
      url: "javascript:alert(document.domain)",
      icon: "data:text/html,<script>alert(1)</script>",
      actions: [{ action: "go", title: "Go", url: "javascript:alert(1)" }, { action: 7 }, null],
      service_notification_id: UUID,
      service_device_id: UUID
    }
    // Handed over again until it is seen: a worker that has only just begun may miss one, and shows two as one.
    const again = async () => {
      await deliver(JSON.stringify(hostile))
      return shown(page)
    }
    const [first] = await until("It", again, (all) => all.length === 1)
    expect(first).toMatchObject({ title: evil, body: evil, icon: "", tag: UUID, actions: [{ action: "go" }] })
    expect(JSON.stringify(first!.data)).not.toMatch(/javascript:|data:text/)
    // What nobody can read is shown too: a push that shows nothing costs the subscription.
    for (const text of ["", "not JSON", "[1]", `{"title":7,"body":{}}`]) {
      const given = async () => {
        await deliver(text)
        return shown(page)
      }
      await until(text, given, (all) => all.some(({ title }) => title === "New message"))
      const closed = async () => {
        await closeAll(page)
        return shown(page)
      }
      await until("None", closed, (all) => all.every(({ title }) => title !== "New message"))
    }
    await page.close()
  })

  it("reports again what the service did not hear", async () => {
    const page = await open()
    const { value } = (await clickOn(page, "#subscribe")) as { value: { deviceId: string } }
    const outbox = () =>
      page.evaluate(`new Promise((resolve) => (indexedDB.open("heliograph").onsuccess = ({ target: { result } }) => {
        const all = result.transaction("outbox").objectStore("outbox").count()
        all.onsuccess = () => { result.close(); resolve(all.result) }
      }))`) as Promise<number>
    expect(value.deviceId).toMatch(/^[0-9a-f-]{36}$/)
    await page.evaluate(`new Promise((resolve) => (indexedDB.open("heliograph").onsuccess = ({ target: { result } }) => {
      const outbox = result.transaction("outbox", "readwrite").objectStore("outbox")
      outbox.add({ key: ${JSON.stringify(options["key"])}, method: "POST", path: "/events", at: Date.now(),
        body: { type: "delivered", notification_id: "${UUID}", device_id: "${value.deviceId}" } }).onsuccess = () => { result.close(); resolve() }
    }))`)
    // While it is away nothing is lost; what it has an answer for, be it "unknown", is not said again.
    await page.route("**/api/v1/events", (route) => route.abort())
    await page.evaluate(`dispatchEvent(new Event("online"))`)
    expect(await outbox()).toBe(1)
    await page.unroute("**/api/v1/events")
    await page.evaluate(`dispatchEvent(new Event("online"))`)
    await until("The report", outbox, (count) => count === 0)
    await page.close()
  })
})
