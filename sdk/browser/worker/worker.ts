/// <reference lib="webworker" />
import { readState, writeState } from "../shared/database.ts"
import { alone, newSubscription, register } from "../shared/registering.ts"
import type { Service } from "../shared/service.ts"
import { deliver, flush } from "../shared/service.ts"
import type { Shown } from "./message.ts"
import { messageOf } from "./message.ts"

/*
 * The reference worker. It keeps nothing between events and caches nothing, so that a new one can take over at once.
 * One `waitUntil` holds each event: the notification first, then the report of it.
 */
declare const self: ServiceWorkerGlobalScope

// Of the worker's own address, also when another script imports this one.
const parameters = new URL(self.location.href).searchParams
const service: Service = {
  key: parameters.get("key") ?? "",
  api: (parameters.get("api") ?? self.location.origin).replace(/\/+$/, "")
}

const pages = (): Promise<ReadonlyArray<WindowClient>> =>
  self.clients.matchAll({ type: "window", includeUncontrolled: true })

const tell = async (message: unknown): Promise<void> => {
  for (const page of await pages()) page.postMessage(message)
}

const pageEvent = ({ data, options, title }: Shown, action: string, url: string | null) => ({
  notificationId: data.notificationId,
  title,
  body: options.body ?? null,
  url,
  data: data.custom,
  action
})

const report = ({ data }: Shown, types: ReadonlyArray<string>, destination?: string | null): Promise<void> => {
  const { deviceId, notificationId } = data
  if (notificationId === null || deviceId === null) return flush(service)
  return deliver(
    service,
    types.map((type) => ({
      method: "POST",
      path: "/events",
      body: {
        type,
        notification_id: notificationId,
        device_id: deviceId,
        ...(type === "clicked" && destination ? { destination } : {})
      }
    }))
  )
}

/** Leaves reports for the time when the network is back, where browsers have that. */
const askForSync = async (): Promise<void> => {
  const { sync } = self.registration as unknown as { readonly sync?: { register: (tag: string) => Promise<void> } }
  await sync?.register("heliograph").catch(() => undefined)
}

/**
 * What browsers that read declarations hand over in the place of the text, as the text would have said it: which device
 * this is, the worker knows.
 */
const declaredIn = async (event: PushEvent): Promise<string | null> => {
  const { notification } = event as PushEvent & {
    readonly notification?: Notification & { readonly navigate?: string }
  }
  if (!notification) return null
  const { body, dir, icon, lang, navigate, silent, tag, title } = notification
  const { device } = await readState(service.key)
  const ids = { service_device_id: device?.id, ...(notification.data as object | null) }
  return JSON.stringify({ title, body, dir, icon, lang, silent, tag, url: navigate, ...ids })
}

const onPush = async (event: PushEvent): Promise<void> => {
  const shown = messageOf(event.data?.text() ?? (await declaredIn(event).catch(() => null)), self.location.href)
  const { body = "", tag = "" } = shown.options
  const data = { heliograph: shown }
  // Whatever came, something is shown: browsers end subscriptions whose pushes show nothing.
  await self.registration
    .showNotification(shown.title, { ...shown.options, data })
    // A browser that does not take one of the options takes the text.
    .catch(() => self.registration.showNotification(shown.title, { body, tag, data }))
    .catch(() => self.registration.showNotification(shown.title, { body, tag }))
  await Promise.all([
    tell({ heliograph: "message", event: pageEvent(shown, "", shown.data.url) }),
    report(shown, ["delivered"]).then(askForSync)
  ]).catch(() => undefined)
}

/** A tab that shows the page already, else a new one, else any tab that is told to go there. */
const openPage = async (url: string): Promise<void> => {
  const open = await pages()
  const there = open.find((page) => page.url === url)
  if (there !== undefined) {
    try {
      await there.focus()
      return
    } catch {
      // Some browsers do not let a worker do that.
    }
  }
  const opened = await self.clients.openWindow(url).catch(() => null)
  if (opened === null && open[0] !== undefined && new URL(url).origin === self.location.origin) {
    await open[0].focus().catch(() => undefined)
    open[0].postMessage({ heliograph: "navigate", navigate: url })
  }
}

const onClick = async (shown: Shown, action: string): Promise<void> => {
  const { actionUrls } = shown.data
  // A name such as `constructor` is in every object.
  const url = (Object.hasOwn(actionUrls, action) ? actionUrls[action] : null) ?? shown.data.url
  const opening = openPage(url ?? new URL("/", self.location.href).href)
  await Promise.all([
    opening,
    tell({ heliograph: "click", event: pageEvent(shown, action, url) }),
    report(shown, ["opened", "clicked"], url).then(askForSync)
  ]).catch(() => undefined)
}

/** The browser has replaced the subscription, or ended it: makes one again, onto the same row. */
const onChange = async (): Promise<void> => {
  const { device } = await readState(service.key)
  if (device !== null) {
    const { pushManager } = self.registration
    // Not in turn: a push service that never answers would hold up every tab. The next page load tries again, and knows
    // more.
    const subscription = await pushManager
      .getSubscription()
      .then((present) => present ?? newSubscription(pushManager, device.vapidKey))
      .catch(() => null)
    await alone(() => changeTo(subscription)).catch(() => undefined)
  }
  // Also for a permission that is given again: pages know what was registered while there was one.
  await tell({ heliograph: "subscription" })
}

const changeTo = async (subscription: PushSubscription | null): Promise<void> => {
  const state = await readState(service.key)
  // Somebody has signed out meanwhile.
  if (state.device === null) return void (await subscription?.unsubscribe())
  if (state.device.userId === undefined) {
    if (subscription !== null) await register(service, state, subscription, state.device, null)
  } else {
    // Whose device it is may have to be proven, which only a page can do.
    await writeState(service.key, { ...state, device: { ...state.device, registeredAt: 0 } })
  }
}

const shownOf = (notification: Notification): Shown | null =>
  (notification as Notification & { readonly data?: { readonly heliograph?: Shown } }).data?.heliograph ?? null

// A worker of the site's own that imports this one says when it is replaced.
if (!("HELIOGRAPH_IMPORTED" in self)) self.addEventListener("install", () => void self.skipWaiting())
self.addEventListener("push", (event) => event.waitUntil(onPush(event)))
self.addEventListener("notificationclick", (event) => {
  const shown = shownOf(event.notification)
  // Another part of the site may show notifications of its own.
  if (shown === null) return
  event.notification.close()
  event.waitUntil(onClick(shown, event.action))
})
self.addEventListener("pushsubscriptionchange", (event) => (event as ExtendableEvent).waitUntil(onChange()))
self.addEventListener("sync" as "push", (event) => {
  if ((event as unknown as { readonly tag: string }).tag === "heliograph") event.waitUntil(flush(service))
})
