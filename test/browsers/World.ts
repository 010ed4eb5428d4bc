import { Effect, Exit, Scope } from "effect"
import { createHmac } from "node:crypto"
import type { Page } from "puppeteer-core"
import type { FleetOptions } from "../../simulators/Fleet.ts"
import type { Answer, Shown, System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Site, SiteFile } from "./Site.ts"
import { openSite, until } from "./Site.ts"

/**
 * A whole node with its simulators, and a customer's site in front of it. Promises instead of effects: what drives a
 * browser is written in them.
 */
export interface World {
  readonly system: System
  readonly site: Site
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Sends to a selection of recipients and waits until everybody has a final state. */
  readonly send: (request: unknown) => Promise<Shown>
  readonly device: (id: string) => Promise<Answer>
  /** Waits until so many events of a type have reached the receiver `one`. */
  readonly events: (count: number) => Promise<void>
  readonly hashOf: (userId: string) => string
  readonly close: () => Promise<void>
}

/** The page of the tests: what a button starts ends in `window.result`, what is told in `window.seen`. */
export const pageOf = (options: Readonly<Record<string, unknown>>, more = ""): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body>
<h1>Shop</h1><button id="subscribe">Tell me</button> <button id="unsubscribe">Sign out</button>
${more}
<script type="module">
  import { createClient } from "/sdk/browser.js"
  const settle = (promise) => {
    window.result = null
    promise.then((value) => (window.result = { value: value ?? null }),
      (error) => (window.result = { name: error.name, code: error.code, message: error.message }))
  }
  window.seen = []
  try {
    const identityHash = (userId) => fetch("/hash/" + encodeURIComponent(userId)).then((answer) => answer.text())
    const heliograph = createClient({ ...${JSON.stringify(options)}, identityHash })
    window.heliograph = heliograph
    for (const name of ["message", "click", "error", "change"]) {
      heliograph.on(name, (event) => window.seen.push([name, event.code ?? event]))
    }
    document.querySelector("#subscribe").onclick = () => settle(heliograph.subscribe(window.options))
    document.querySelector("#unsubscribe").onclick = () => settle(heliograph.unsubscribe())
    heliograph.ready.then(() => (document.body.dataset.ready = "yes"))
  } catch (error) {
    window.result = { name: error.name, code: error.code, message: error.message }
  }
</script></body></html>`

/** Lets a page have an event of the worker's happen which only a person, or a push service, could cause. */
export const TEACHABLE_WORKER = `
importScripts("/sw.js" + self.location.search)
self.addEventListener("message", async ({ data }) => {
  const [notification] = await self.registration.getNotifications()
  const event = data.type === "notificationclick"
    ? new NotificationEvent(data.type, { notification, action: data.action })
    : new ExtendableEvent(data.type)
  // An event that a script made cannot be prolonged: the worker's own work goes on all the same.
  Object.defineProperty(event, "waitUntil", { value: () => undefined })
  self.dispatchEvent(event)
})`

export const openWorld = async (
  pages: (world: { readonly system: System }) => Readonly<Record<string, SiteFile>>,
  env: NodeJS.ProcessEnv = {},
  fleet: FleetOptions = {}
): Promise<World> => {
  const scope = Effect.runSync(Scope.make())
  const system = await Effect.runPromise(Scope.provide(makeSystem(env, fleet), scope))
  const site = await openSite(system.url, pages({ system }))
  const hashOf = (userId: string) => createHmac("sha256", system.app.identitySecret).update(userId).digest("hex")
  const call: World["call"] = (method, path, body) => Effect.runPromise(system.call(method, path, body))
  for (const { name, secret, url } of system.fleet.description.receivers) {
    const { status } = await call("POST", "/api/v1/webhooks", { name, url, secret, events: [] })
    if (status !== 201) throw new Error(`The webhook was answered ${status}`)
  }
  return {
    system,
    site,
    call,
    hashOf,
    send: async (request) => {
      const id = await Effect.runPromise(system.send(request))
      return Effect.runPromise(system.until(id, ({ status }) => status === "completed"))
    },
    device: (id) => call("GET", `/api/v1/devices/${id}`),
    events: async (count) => {
      const receiver = system.fleet.webhooks.receiver("one")
      await until(
        `${count} webhooks`,
        () => receiver.received().size,
        (size) => size >= count
      )
    },
    close: async () => {
      await site.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

/** What a click on a button of `pageOf` came to. */
export interface Result {
  readonly value?: Readonly<Record<string, unknown>> | null
  readonly name?: string
  readonly code?: string
  readonly message?: string
}

export const click = async (page: Page, selector: string, options?: unknown): Promise<Result> => {
  await page.evaluate(`window.options = ${JSON.stringify(options ?? {})}; window.result = null`)
  await page.click(selector)
  await page.waitForFunction("window.result !== null")
  return page.evaluate("window.result") as Promise<Result>
}

/** Opens the page, and waits until what the SDK does at a page load is over. */
export const openPage = async (page: Page, url: string): Promise<void> => {
  await page.goto(url)
  await page.waitForSelector("body[data-ready]")
}

export interface ShownNotification {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly icon: string
}

/** What the browser shows at present. */
export const shownIn = (page: Page): Promise<ReadonlyArray<ShownNotification>> =>
  page.evaluate(`(async () => {
    const all = await navigator.serviceWorker.getRegistrations()
    const shown = (await Promise.all(all.map((one) => one.getNotifications()))).flat()
    return shown.map(({ title, body, tag, icon }) => ({ title, body, tag, icon }))
  })()`) as Promise<ReadonlyArray<ShownNotification>>

/** Everything that the site's storage holds, in whatever place, as texts; names of records too. */
export const storedBy = (page: { readonly evaluate: (script: string) => Promise<unknown> }): Promise<Array<string>> =>
  page.evaluate(`(async () => {
    const texts = [...Object.entries(localStorage), ...Object.entries(sessionStorage), ...await caches.keys()].map(String)
    if (document.cookie !== "") texts.push(document.cookie)
    const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)))
    for (const { name } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      for (const storeName of database.objectStoreNames) {
        const store = database.transaction(storeName).objectStore(storeName)
        const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())])
        texts.push(...values.map((value, i) => storeName + " " + String(keys[i]) + " " + JSON.stringify(value)))
      }
      database.close()
    }
    return texts
  })()`) as Promise<Array<string>>

/** Has the worker of `TEACHABLE_WORKER` live through an event. Nobody waits for the end of it. */
export const happen = async (page: Page, type: string, action = ""): Promise<void> => {
  await page.evaluate(`navigator.serviceWorker.getRegistrations().then(([registration]) =>
    registration.active.postMessage(${JSON.stringify({ type, action })}))`)
}
