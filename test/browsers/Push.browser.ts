import { createECDH } from "node:crypto"
import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openFirefox } from "./Browsers.ts"
import { until } from "./Site.ts"
import type { World } from "./World.ts"
import { click, happen, openPage, openWorld, pageOf, shownIn, storedBy, TEACHABLE_WORKER } from "./World.ts"

let world: World
let firefox: Awaited<ReturnType<typeof openFirefox>>
let page: Page

beforeAll(async () => {
  world = await openWorld(({ system: { app, url } }) => ({
    "/": {
      body: pageOf({ appId: app.appId, key: app.publicKey, api: url, swPath: "/worker.js", recheckSeconds: 0 }),
      // As strict as the guide says that it may be, where scripts of the page's own allow it.
      headers: { "content-security-policy": "require-trusted-types-for 'script'; trusted-types heliograph" }
    },
    "/worker.js": { body: TEACHABLE_WORKER, type: "application/javascript" },
    "/order": { body: "<!doctype html><title>Order</title>" }
  }))
  for (const user of ["anna", "bert"]) world.site.files.set(`/hash/${user}`, { body: world.hashOf(user) })
  world.site.files.set("/hash/eve", { body: world.hashOf("anna") })
  firefox = await openFirefox({ push: world.system.fleet.description.browserPush })
})

afterAll(async () => {
  await firefox?.close()
  await world?.close()
})

beforeEach(async () => {
  page = await firefox.browser.newPage()
  await openPage(page, world.site.url)
  return () => page.close()
})

const stats = () => world.system.fleet.webpush.browsers.stats()

describe("a real Firefox", () => {
  it("subscribes, decrypts and shows what the engine sends, and is counted with webhooks for each step", async () => {
    const result = await click(page, "#subscribe", { tags: ["news"], metadata: { plan: "pro" } })
    expect(result).toMatchObject({ value: { deviceId: expect.any(String) } })
    const id = result.value!["deviceId"] as string
    const device = await world.device(id)
    expect(device.body).toMatchObject({ platform: "web", tags: ["news"], user_id: null, status: "active" })

    const sent = await world.send({
      to: { device_ids: [id] },
      content: { title: "Grüße 👋", body: "Your order is here", url: `${world.site.url}/order` },
      overrides: { web: { icon: "/icon.png" } }
    })
    expect(sent.counts).toMatchObject({ accepted: 1, sent: 1 })
    const shown = await until(
      "A notification",
      () => shownIn(page),
      (all) => all.length === 1
    )
    expect(shown).toEqual([
      { title: "Grüße 👋", body: "Your order is here", tag: sent.id, icon: `${world.site.url}/icon.png` }
    ])
    await until("Firefox's receipt", stats, ({ delivered }) => delivered === 1)
    const counts = async () => (await world.call("GET", `/api/v1/notifications/${sent.id}`)).body.counts
    await until("The report of the delivery", counts, ({ delivered }) => delivered === 1)

    await happen(page, "notificationclick")
    const after = await until("The report of the click", counts, ({ clicked }) => clicked === 1)
    expect(after).toMatchObject({ sent: 1, delivered: 1, opened: 1, clicked: 1 })
    await world.events(4)
    await until(
      "The message's page",
      () => page.url(),
      (url) => url === `${world.site.url}/order`
    )
    expect(await shownIn(page)).toEqual([])
  })

  it("starts the worker for a second copy of the SDK in the page, which trusts what the first one made", async () => {
    const { value } = await click(page, "#subscribe")
    const { app, url } = world.system
    const options = JSON.stringify({ appId: app.appId, key: app.publicKey, api: url, swPath: "/worker.js" })
    const again = await page.evaluate(`import("/sdk/browser.js?again").then(({ createClient }) =>
      createClient(${options}).subscribe()).then(({ deviceId }) => deviceId, (error) => error.message)`)
    expect(again).toBe(value!["deviceId"])
  })

  it("shows a message whose payload nobody can read, and one that replaces another once", async () => {
    const { value } = await click(page, "#subscribe")
    const to = { device_ids: [value!["deviceId"]] }
    const bare = { title: null, body: null, data: null }
    await world.send({ to, content: { title: "x", body: "y" }, overrides: { web: bare } })
    await until(
      "The generic text",
      () => shownIn(page),
      (all) => all.some(({ title }) => title === "New message")
    )
    for (const score of ["0:1", "0:2"]) {
      await world.send({ to, content: { title: "Score", body: score }, collapse_key: "match-7" })
      await until(
        score,
        () => shownIn(page),
        (all) => all.some(({ body }) => body === score)
      )
    }
    const scores = (await shownIn(page)).filter(({ title }) => title === "Score")
    expect(scores.map(({ body }) => body)).toEqual(["0:2"])
  })

  it("keeps its row through a subscription that ended, an endpoint that changed and a key that changed", async () => {
    const first = (await click(page, "#subscribe", { tags: ["kept"] })).value!["deviceId"] as string
    const token = async () => (await world.device(first)).body.token as string
    const before = await token()
    await page.evaluate(`navigator.serviceWorker.getRegistrations().then(([one]) => one.pushManager.getSubscription())
      .then((one) => one.unsubscribe())`)
    await openPage(page, world.site.url)
    const second = await token()
    expect(second).not.toBe(before)

    await page.evaluate(`navigator.serviceWorker.getRegistrations().then(([one]) => one.pushManager.getSubscription())
      .then((one) => one.unsubscribe())`)
    await happen(page, "pushsubscriptionchange")
    const third = await until("A new endpoint", token, (now) => now !== second)

    const keys = createECDH("prime256v1")
    keys.generateKeys()
    const [public_key, private_key] = [keys.getPublicKey("base64url"), keys.getPrivateKey("base64url")]
    const subject = "mailto:operator@example.com"
    expect((await world.call("PUT", "/api/v1/credentials/webpush", { subject, public_key, private_key })).status).toBe(
      200
    )
    await openPage(page, world.site.url)
    expect(await token()).not.toBe(third)
    expect((await world.device(first)).body).toMatchObject({ tags: ["kept"], status: "active" })
    const sent = await world.send({ to: { device_ids: [first] }, content: { title: "After the change" } })
    expect(sent.counts).toMatchObject({ sent: 1 })
    await until(
      "It",
      () => shownIn(page),
      (all) => all.some(({ title }) => title === "After the change")
    )
  })

  it("belongs to whoever is signed in, and to nobody after sign-out", async () => {
    const anna = await click(page, "#subscribe", { userId: "anna", metadata: { address: "12 Rose Lane" } })
    const id = anna.value!["deviceId"] as string
    expect((await world.device(id)).body).toMatchObject({ user_id: "anna" })
    const bert = await click(page, "#subscribe", { userId: "bert" })
    expect(bert.value!["deviceId"]).toBe(id)
    expect((await world.device(id)).body).toMatchObject({ user_id: "bert" })

    // A person whose hash is wrong is refused, and does not inherit the device.
    const eve = await click(page, "#subscribe", { userId: "eve" })
    expect(eve).toMatchObject({ name: "HeliographError", code: "identity_unverified" })
    expect((await world.device(id)).status).toBe(404)

    const again = (await click(page, "#subscribe", { userId: "anna", metadata: { address: "12 Rose Lane" } })).value!
    await world.send({ to: { user_ids: ["anna"] }, content: { title: "For Anna's eyes" } })
    await until(
      "It",
      () => shownIn(page),
      (all) => all.some(({ title }) => title === "For Anna's eyes")
    )
    expect(await click(page, "#unsubscribe")).toEqual({ value: null })
    expect((await world.device(again["deviceId"] as string)).status).toBe(404)
    expect(await shownIn(page)).toEqual([])
    expect(await storedBy(page)).toEqual([])
  })

  it("says what to do about a permission that was refused", async () => {
    const refusing = await openFirefox({ push: world.system.fleet.description.browserPush, notifications: "denied" })
    try {
      const there = await refusing.browser.newPage()
      await openPage(there, world.site.url)
      const result = await click(there, "#subscribe")
      expect(result).toMatchObject({ name: "HeliographError", code: "PERMISSION_DENIED" })
      expect(result.message).toMatch(/settings of the site/)
    } finally {
      await refusing.close()
    }
  })
})
