import { ask, Refusal } from "../api/request.ts"
import { firstPush, makeBrowserKeys, makePublicKey } from "./operations.ts"

/** As much of the browsers' SDK (sdk/browser) as is used here. */
interface Client {
  readonly subscribe: () => Promise<{ readonly deviceId: string }>
  readonly unsubscribe: () => Promise<void>
}
interface Sdk {
  readonly createClient: (options: { readonly appId: string; readonly key: string; readonly api: string }) => Client
}

/** Every node serves it: what customers' pages load is what is tried here. */
const SDK = "/sdk/browser.js"
const load = (): Promise<Sdk> => import(/* @vite-ignore */ SDK) as Promise<Sdk>

/** A public key is no secret. Kept, so that a second try makes no second one. */
const placeOf = (appId: string): string => `heliograph public key ${appId}`
const markOf = (appId: string): string => `heliograph subscribed ${appId}`

/** What the SDK says is written for people, as the service's own words are. */
const inWords = (error: unknown): unknown => {
  const { code, message, name } = error as { readonly name?: string; readonly code?: string; readonly message?: string }
  return name === "HeliographError" ? new Refusal(String(code), String(message)) : error
}

const clientOf = async (appId: string, key: string): Promise<Client> =>
  (await load()).createClient({ appId, key, api: location.origin })

const subscribe = async (appId: string): Promise<string> => {
  const kept = localStorage.getItem(placeOf(appId))
  if (kept !== null) {
    try {
      return (await (await clientOf(appId, kept)).subscribe()).deviceId
    } catch (error) {
      // It was revoked since.
      if ((error as { readonly code?: unknown }).code !== "unauthorized") throw error
      localStorage.removeItem(placeOf(appId))
    }
  }
  const { key } = (await ask(makePublicKey, { appId })).createApiKey
  localStorage.setItem(placeOf(appId), key!)
  return (await (await clientOf(appId, key!)).subscribe()).deviceId
}

/**
 * Subscribes this browser as a visitor of the application's site, and sends it a push. `subject`: the address that push
 * services may write to; null when the application has keys for browsers already. Answers the notification's id.
 */
export const pushToThisBrowser = async (appId: string, subject: string | null): Promise<string> => {
  // Browsers ask only while the click is fresh.
  if ("Notification" in globalThis) await Notification.requestPermission()
  if (subject !== null) await ask(makeBrowserKeys, { appId, subject })
  const deviceId = await subscribe(appId).catch((error) => Promise.reject(inWords(error)))
  localStorage.setItem(markOf(appId), "yes")
  return (await ask(firstPush, { appId, deviceId, url: location.href })).sendNotification.id
}

/** Whether this browser was subscribed here, and has not left since. */
export const isSubscribed = (appId: string): boolean => localStorage.getItem(markOf(appId)) !== null

/** Takes this browser from the application's devices. */
export const leaveThisBrowser = async (appId: string): Promise<void> => {
  const key = localStorage.getItem(placeOf(appId))
  if (key === null) return
  const client = await clientOf(appId, key)
  await client.unsubscribe().catch((error) => Promise.reject(inWords(error)))
  localStorage.removeItem(markOf(appId))
}
