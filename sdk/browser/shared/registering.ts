import type { DeviceState, RegisteredDevice } from "./database.ts"
import { readPending, removePending, writeState } from "./database.ts"
import type { Service } from "./service.ts"
import { call } from "./service.ts"

/** base64url without padding. */
const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "")

/** The key that a subscription was made with, as the service writes it. */
export const keyOf = (subscription: PushSubscription): string => {
  const key = subscription.options.applicationServerKey
  return key === null ? "" : base64url(key)
}

export const newSubscription = (manager: PushManager, vapidKey: string): Promise<PushSubscription> =>
  manager.subscribe({ userVisibleOnly: true, applicationServerKey: vapidKey })

export type DeviceFields = Pick<RegisteredDevice, "userId" | "tags" | "timezone" | "metadata">

/** One at a time, over all tabs and the worker: two that register at once would fight over the row. */
export const alone = <A>(work: () => Promise<A>): Promise<A> =>
  // Pages without HTTPS have no locks.
  (navigator.locks?.request("heliograph", work) as Promise<A> | undefined) ?? work()

/** Tells the service of a subscription, onto the row that this browser had before, and notes what came of it. */
export const register = async (
  service: Service,
  state: DeviceState,
  subscription: PushSubscription,
  fields: DeviceFields,
  identityHash: string | null
): Promise<DeviceState> => {
  const token = subscription.endpoint
  const before = state.device?.token
  const keys = subscription.toJSON().keys!
  const { id } = await call<{ readonly id: string }>(service, "/public/devices", {
    method: "POST",
    identityHash,
    body: {
      token,
      platform: "web",
      // What is undefined is left out.
      previous_token: before === token ? undefined : before,
      user_id: fields.userId,
      tags: fields.tags,
      timezone: fields.timezone,
      metadata: { ...fields.metadata, browser_id: state.browserId },
      web_push_p256dh: keys["p256dh"],
      web_push_auth: keys["auth"]
    }
  })
  const now = Date.now()
  const device = { ...fields, id, token, vapidKey: keyOf(subscription), registeredAt: now, checkedAt: now }
  const after: DeviceState = { ...state, device, paused: null }
  await writeState(service.key, after)
  // A removal that has not reached the service yet was of an earlier registration.
  for (const [name, { body, method }] of await readPending(service.key)) {
    if (method === "DELETE" && (body as { readonly token: string }).token === token) await removePending(name)
  }
  return after
}
