import { HeliographError } from "../shared/errors.ts"

/** iPads say that they are a Mac, which has no touch screen. */
const isIos = (): boolean => /iP(hone|ad|od)|Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1

/** Why this browser, or this page, can have no web push; null when it can. */
export const missingSupport = (): HeliographError | null => {
  const not = (message: string) => new HeliographError("NOT_SUPPORTED", message)
  if (!isSecureContext) return not("Push needs HTTPS (localhost may do without).")
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return null
  return isIos()
    ? not("Safari on iOS has push on the Home screen alone: Share, “Add to Home Screen”, then open it there.")
    : not("This browser has no web push, or has it off, as in private windows.")
}

/** Asked before anything else is waited for: a browser forgets the click that a prompt needs. */
export const askPermission = async (): Promise<void> => {
  const permission = await Notification.requestPermission()
  if (permission === "granted") return
  throw new HeliographError(
    "PERMISSION_DENIED",
    permission === "denied"
      ? "Blocked: only the person can allow notifications, in the browser's settings of the site."
      : "The prompt was closed or not shown: call subscribe() in a click, before any await."
  )
}

const SUBSCRIBE_MS = 30_000

/** Some browsers refuse, or never answer, where their push service is switched off. */
export const withinLimit = async <A>(subscribing: Promise<A>): Promise<A> => {
  const late = new Promise<never>((_, reject) => {
    setTimeout(reject, SUBSCRIBE_MS)
  })
  try {
    return await Promise.race([subscribing, late])
  } catch (cause) {
    if ((cause as Error | undefined)?.name === "NotAllowedError") {
      throw new HeliographError("PERMISSION_DENIED", "The browser does not let this site have push.", { cause })
    }
    throw new HeliographError(
      "NOT_SUPPORTED",
      "The browser's push service does not answer. In Brave, allow Google's push messaging in brave://settings/privacy; elsewhere, look for a firewall.",
      { cause }
    )
  }
}
