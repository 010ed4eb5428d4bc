import type { DeviceState } from "../shared/database.ts"
import {
  keepPending,
  readPending,
  readState,
  readStateOf,
  removePending,
  removeState,
  writeState
} from "../shared/database.ts"
import { asError, HeliographError } from "../shared/errors.ts"
import { emitter } from "../shared/events.ts"
import type { DeviceFields } from "../shared/registering.ts"
import { alone, keyOf, newSubscription, register } from "../shared/registering.ts"
import { call, flush } from "../shared/service.ts"
import type { Inbox } from "../inbox/inbox.ts"
import { openInbox } from "../inbox/inbox.ts"
import type { Config, HeliographOptions } from "./config.ts"
import { configOf } from "./config.ts"
import { askPermission, missingSupport, withinLimit } from "./support.ts"
import { presentWorker, startWorker } from "./worker.ts"

export { HeliographError } from "../shared/errors.ts"
export type { HeliographCode } from "../shared/errors.ts"
export type { Inbox, InboxMessage, InboxPage } from "../inbox/inbox.ts"
export type { HeliographOptions } from "./config.ts"

export interface SubscribeOptions {
  /** Your own id of the person who is signed in. Without one the device is anonymous. */
  readonly userId?: string
  readonly tags?: ReadonlyArray<string>
  /** An IANA name; the browser's own unless given. */
  readonly timezone?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface HeliographState {
  readonly supported: boolean
  /** Why not; null when it is. */
  readonly reason: HeliographError | null
  readonly permission: NotificationPermission
  readonly subscribed: boolean
  readonly deviceId: string | null
  readonly userId: string | null
}

/** A push that was shown, or a click on one, told to every open page of the site. */
export interface PushEvent {
  readonly notificationId: string | null
  readonly title: string
  readonly body: string | null
  readonly url: string | null
  readonly data: unknown
  /** Of the button that was clicked; empty for the notification itself, and for `message`. */
  readonly action: string
}

interface Events {
  readonly message: PushEvent
  readonly click: PushEvent
  /** Something that nobody waited for went wrong, such as the check at page load. */
  readonly error: HeliographError
  /** Subscribed, or not any more. */
  readonly change: HeliographState
}

export interface Heliograph {
  /** Asks for permission and registers this browser: call it from a click, before anything else is awaited. */
  readonly subscribe: (options?: SubscribeOptions) => Promise<{ readonly deviceId: string }>
  /** For sign-out: takes this browser, and no other device of the person, from the service. */
  readonly unsubscribe: () => Promise<void>
  readonly state: () => Promise<HeliographState>
  /** Calls back until the function that it answers is called. */
  readonly on: <Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void) => () => void
  /** The inbox of a person. */
  readonly inbox: (options: { readonly userId: string }) => Inbox
  /** Settles when the check of page load is over. */
  readonly ready: Promise<void>
}

const hide = async (registration: ServiceWorkerRegistration | null): Promise<void> => {
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close()
}

const vapidKey = async (config: Config): Promise<string> => {
  try {
    return (await call<{ readonly public_key: string }>(config, `/public/apps/${config.appId}/vapid`)).public_key
  } catch (cause) {
    if ((cause as HeliographError).status !== 404) throw cause
    throw new HeliographError(
      "VAPID_MISSING",
      "The application has no web push keys yet: PUT /api/v1/credentials/webpush makes them.",
      { cause }
    )
  }
}

/** The subscription with the service's present key: one that was made with another key is dead, whatever it says. */
const subscriptionWith = async (manager: PushManager, key: string): Promise<PushSubscription> => {
  const present = await manager.getSubscription()
  if (present !== null && keyOf(present) === key) return present
  await present?.unsubscribe()
  return withinLimit(newSubscription(manager, key))
}

export const createClient = (options: HeliographOptions): Heliograph => {
  const config = configOf(options)
  const inboxes = new Set<Inbox>()
  const { emit, on } = emitter<Events>()
  /** One after another, in all tabs; whatever goes wrong is a HeliographError. */
  const inTurn = <A>(work: () => Promise<A>): Promise<A> =>
    alone(work).catch((error) => {
      throw asError(error)
    })
  /** Of this page. */
  let departures = 0
  const own = (): Promise<DeviceState> => readStateOf(config.key, config.appId)

  const state = async (): Promise<HeliographState> => {
    const reason = missingSupport()
    const device = reason === null ? (await readState(config.key)).device : null
    return {
      supported: reason === null,
      reason,
      permission: window.Notification?.permission ?? "denied",
      subscribed: device !== null,
      deviceId: device?.id ?? null,
      userId: device?.userId ?? null
    }
  }

  const changed = async (): Promise<void> => emit("change", await state())
  /** Tells the other tabs: true, that somebody has signed out. */
  const tabs = new BroadcastChannel(`heliograph ${config.key}`)
  const closeInboxes = (): void => {
    for (const inbox of inboxes) inbox.close()
  }
  tabs.addEventListener("message", ({ data }) => {
    if (data) closeInboxes()
    void changed()
  })

  /** Ends what the service knows of this browser, now or as soon as it can be reached. */
  const remove = async (before: DeviceState, paused: DeviceState["paused"] = null): Promise<void> => {
    const registration = await presentWorker(config)
    const subscription = await registration?.pushManager?.getSubscription()
    const token = subscription?.endpoint ?? before.device?.token
    // What is on the screen and in the store may be of the person who leaves: gone first, whatever the network does, and
    // whenever the page is left.
    if (paused === null) await removeState(config.key)
    else await writeState(config.key, { ...before, device: null, paused })
    for (const [name, { method }] of await readPending(config.key)) if (method === "POST") await removePending(name)
    if (token !== undefined) {
      await keepPending(config.key, [{ method: "DELETE", path: "/public/devices", body: { token }, at: Date.now() }])
    }
    closeInboxes()
    tabs.postMessage(true)
    await hide(registration)
    await navigator.setAppBadge?.(0).catch(() => undefined)
    await subscription?.unsubscribe().catch(() => false)
    await flush(config)
    await changed()
  }

  const registerAs = async (fields: DeviceFields): Promise<DeviceState> => {
    const [key, registration, before] = await Promise.all([vapidKey(config), startWorker(config), own()])
    const subscription = await subscriptionWith(registration.pushManager, key)
    const last = before.device?.userId
    // What was shown to the last person is not for the next one.
    if (last !== undefined && last !== fields.userId) await hide(registration)
    try {
      const hash = fields.userId === undefined ? null : await config.identityHash(fields.userId)
      return await register(config, { ...before, appId: config.appId }, subscription, fields, hash)
    } catch (error) {
      // Neither is the device, even if that one cannot be registered.
      if (before.device !== null && last !== fields.userId) await remove(before)
      throw error
    }
  }

  const subscribe: Heliograph["subscribe"] = async ({ metadata, tags, timezone, userId } = {}) => {
    const missing = missingSupport()
    if (missing !== null) throw missing
    const before = departures
    await askPermission()
    const fields = {
      userId,
      tags,
      timezone: timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      metadata
    }
    const { device } = await inTurn(async () => {
      // Whoever signs out while the prompt is open is not to be registered when it is answered.
      if (departures === before) return registerAs(fields)
      throw new HeliographError("CANCELLED", "unsubscribe() was called before this browser was registered.")
    })
    tabs.postMessage(false)
    await changed()
    return { deviceId: device!.id }
  }

  const unsubscribe = (): Promise<void> => {
    departures++
    return inTurn(async () => remove(await own()))
  }

  /** Puts right at page load what happened since: subscriptions end, keys change, permissions are taken back. */
  const reconcile = async (): Promise<void> => {
    if (missingSupport() !== null) return
    const before = await own()
    const isGranted = Notification.permission === "granted"
    if (before.device === null) {
      if (isGranted && before.paused !== null) await registerAs(before.paused)
      return flush(config)
    }
    const { checkedAt, id: _, registeredAt, token, vapidKey: knownKey, ...fields } = before.device
    if (!isGranted) return remove(before, fields)
    const registration = await startWorker(config)
    const subscription = await registration.pushManager.getSubscription()
    const isSame = subscription !== null && subscription.endpoint === token
    const now = Date.now()
    // What is of the future was noted by a clock that was wrong.
    const isOld = (at: number, seconds: number) => Math.abs(now - at) >= seconds * 1000
    if (!isSame || isOld(registeredAt, config.refreshSeconds)) await registerAs(fields)
    else if (isOld(checkedAt, config.recheckSeconds)) {
      if ((await vapidKey(config)) !== knownKey) await registerAs(fields)
      else await writeState(config.key, { ...before, device: { ...before.device, checkedAt: now } })
    }
    await flush(config)
  }

  const check = (): Promise<void> => inTurn(reconcile).catch((error) => emit("error", error))

  if ("serviceWorker" in navigator) {
    navigator.serviceWorker.addEventListener("message", ({ data }) => {
      const { event, heliograph, navigate } = (data ?? {}) as {
        readonly heliograph?: string
        readonly event?: PushEvent
        readonly navigate?: string
      }
      if (heliograph === "message" || heliograph === "click") emit(heliograph, event!)
      // A registration that only a page can make, which has the identity hash.
      if (heliograph === "subscription") void check()
      if (heliograph === "navigate" && /^https?:/.test(navigate!)) location.assign(navigate!)
    })
    navigator.serviceWorker.startMessages()
    addEventListener("online", () => void flush(config))
  }

  const ready = check()

  return {
    subscribe,
    unsubscribe,
    state,
    ready,
    on,
    inbox: ({ userId }) => {
      const inbox = openInbox(config, userId)
      inboxes.add(inbox)
      return inbox
    }
  }
}
