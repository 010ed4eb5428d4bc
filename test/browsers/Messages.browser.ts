import type { Page } from "puppeteer-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openFirefox } from "./Browsers.ts"
import { until } from "./Site.ts"
import type { World } from "./World.ts"
import { click, openPage, openWorld, pageOf } from "./World.ts"

let world: World
let firefox: Awaited<ReturnType<typeof openFirefox>>
let page: Page

beforeAll(async () => {
  world = await openWorld(({ system: { app, url } }) => ({
    "/": { body: pageOf({ appId: app.appId, key: app.publicKey, api: url }) }
  }))
  firefox = await openFirefox({ push: world.system.fleet.description.browserPush })
  page = await firefox.browser.newPage()
  await openPage(page, world.site.url)
})

afterAll(async () => {
  await firefox?.close()
  await world?.close()
})

/** The worker shows them one after another, a thousand in four minutes. */
const MESSAGES = process.env["BROWSERS_LONG"] === undefined ? 250 : 1000
/** Bytes of a message's content that the engine takes, at most. */
const LIMIT = 3700
const AT_ONCE = 20
/** Milliseconds for all of them. */
const PATIENCE = 400_000

it(`decrypts ${MESSAGES} messages of all sizes up to the limit, each once and as it was sent`, async () => {
  const { value } = await click(page, "#subscribe")
  const to = { device_ids: [value!["deviceId"]] }
  const overrides = { web: { tag: "size" } }
  const contentOf = (length: number) => ({ title: "T", data: { text: "x".repeat(length) } })
  // Both are counted as they are written, each with its braces.
  const most = LIMIT - JSON.stringify(contentOf(0)).length - JSON.stringify(overrides.web).length
  const tooLong = { to, content: contentOf(most + 1), overrides }
  expect((await world.call("POST", "/api/v1/notifications", tooLong)).status).toBe(400)
  const lengths = Array.from({ length: MESSAGES }, (_, i) => Math.round((i * most) / (MESSAGES - 1)))
  const sent = new Map<string, number>()
  for (let from = 0; from < MESSAGES; from += AT_ONCE) {
    await Promise.all(
      lengths.slice(from, from + AT_ONCE).map(async (length) => {
        const request = { to, content: contentOf(length), overrides }
        const { body, status } = await world.call("POST", "/api/v1/notifications", request)
        expect([status, status === 202 ? null : body]).toEqual([202, null])
        sent.set(body.id, length)
      })
    )
  }
  const seen = `window.seen.filter(([name]) => name === "message")`
  await until(
    `${MESSAGES} messages`,
    () => page.evaluate(`${seen}.length`) as Promise<number>,
    (count) => count >= MESSAGES,
    PATIENCE
  )
  const got = (await page.evaluate(
    `${seen}.map(([, { notificationId, data }]) => [notificationId, data.text.length])`
  )) as ReadonlyArray<readonly [string, number]>
  expect(got.length).toBe(MESSAGES)
  expect(new Map(got)).toEqual(sent)
  const { delivered, undecrypted, undelivered } = await until(
    "Firefox's receipts",
    () => world.system.fleet.webpush.browsers.stats(),
    (stats) => stats.delivered >= MESSAGES
  )
  expect({ delivered, undecrypted, undelivered }).toEqual({ delivered: MESSAGES, undecrypted: 0, undelivered: 0 })
})
