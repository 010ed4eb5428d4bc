import type { CDPSession, Page } from "playwright-core"
import type { Site } from "./Site.ts"
import { until } from "./Site.ts"

/*
 * Chromium's own push service cannot be reached: the subscription is made up, with keys that are real, and messages are
 * handed to the worker as the browser does after it has decrypted one.
 */
export const SUBSCRIPTION = `
  PushManager.prototype.subscribe = async function ({ applicationServerKey }) {
    const { publicKey } = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"])
    const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
    const key = Uint8Array.from(atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/")),
      (character) => character.charCodeAt(0))
    const p256dh = base64url(await crypto.subtle.exportKey("raw", publicKey))
    const auth = base64url(crypto.getRandomValues(new Uint8Array(16)))
    return { endpoint: "https://127.0.0.1:9/" + crypto.randomUUID(), toJSON: () => ({ keys: { p256dh, auth } }),
      options: { applicationServerKey: key.buffer }, unsubscribe: async () => true }
  }`

/** Opens a page of `pageOf`, and waits until what the SDK does at a page load is over, or has failed. */
export const openIn = async (browser: { newPage: () => Promise<Page> }, site: Site, path = "/"): Promise<Page> => {
  const page = await browser.newPage()
  await page.goto(site.url + path)
  await page.waitForFunction("window.result || document.body.dataset.ready")
  return page
}

/** What a click on a button of `pageOf` came to. */
export const clickOn = async (page: Page, selector: string, given: unknown = {}): Promise<Record<string, unknown>> => {
  await page.evaluate(`window.options = ${JSON.stringify(given)}; window.result = null`)
  await page.click(selector)
  await page.waitForFunction("window.result !== null")
  return page.evaluate("window.result")
}

export interface Worker {
  /** Hands a text to the worker's `push` event. */
  readonly deliver: (data: string) => Promise<void>
}

/** The worker of a site's scope, as soon as there is one: ask before it is registered. */
export const workerOf = async (page: Page, site: Site): Promise<() => Promise<Worker>> => {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const ours = registrations.find(({ scopeURL }) => scopeURL === `${site.url}/`)
      if (ours !== undefined) resolve(ours.registrationId)
    })
  )
  await cdp.send("ServiceWorker.enable")
  return async () => {
    const registrationId = await registered
    return {
      deliver: async (data) => {
        await cdp.send("ServiceWorker.deliverPushMessage", { origin: site.url, registrationId, data })
      }
    }
  }
}

export interface ShownInChromium {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly icon: string
  readonly data: unknown
  readonly actions: ReadonlyArray<unknown>
}

export const shown = (page: Page): Promise<ReadonlyArray<ShownInChromium>> =>
  page.evaluate(`navigator.serviceWorker.getRegistrations().then(async (all) =>
    (await Promise.all(all.map((one) => one.getNotifications()))).flat()
      .map(({ actions, body, data, icon, tag, title }) => ({ actions, body, data, icon, tag, title })))`)

/**
 * Does what a worker is to hear of, and waits until it is seen. A worker that has only just begun may miss it, so it is
 * done again every few seconds.
 */
export const againUntil = <A>(
  what: string,
  act: () => Promise<unknown>,
  ask: () => Promise<A>,
  isThere: (answer: A) => boolean
): Promise<A> => {
  let next = 0
  return until(
    what,
    async () => {
      if (Date.now() >= next) {
        await act()
        next = Date.now() + 5_000
      }
      return ask()
    },
    isThere
  )
}

/** Hands a text over and waits until what it shows is there. */
export const deliverUntil = (
  page: Page,
  { deliver }: Worker,
  text: string,
  isThere: (all: ReadonlyArray<ShownInChromium>) => boolean
): Promise<ReadonlyArray<ShownInChromium>> =>
  againUntil(
    text.slice(0, 200),
    () => deliver(text),
    () => shown(page),
    isThere
  )

export const closeAll = (page: Page): Promise<unknown> =>
  page.evaluate(`navigator.serviceWorker.getRegistrations().then(async (all) =>
    (await Promise.all(all.map((one) => one.getNotifications()))).flat().forEach((shown) => shown.close()))`)
