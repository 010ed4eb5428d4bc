import type { Config } from "./config.ts"
import { HeliographError } from "../shared/errors.ts"

/** The worker's address: its parameters are what it knows of the service, and a change of them replaces it. */
const workerUrl = ({ api, key, swPath }: Config): URL => {
  const url = new URL(swPath, location.href)
  url.searchParams.set("key", key)
  url.searchParams.set("api", api)
  return url
}

const isOurs = (registration: ServiceWorkerRegistration, url: URL): boolean => {
  const script = (registration.active ?? registration.waiting ?? registration.installing)?.scriptURL
  return script !== undefined && new URL(script).pathname === url.pathname
}

/** A page has one worker for a scope: where the site has its own, ours takes a folder that nobody opens. */
const scopeOf = async (config: Config, url: URL): Promise<string> => {
  if (config.swScope !== null) return config.swScope
  const folder = new URL("./", url).href
  const there = await navigator.serviceWorker.getRegistration(folder)
  return there?.scope !== folder || isOurs(there, url) ? folder : new URL("./heliograph/", url).href
}

const activated = async (registration: ServiceWorkerRegistration): Promise<void> => {
  // One that is at work is enough: its successor may wait for as long as a tab is open.
  const worker = registration.active ?? registration.waiting ?? registration.installing
  if (worker === null) throw new Error("it ended")
  if (worker.state === "activated") return
  await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }))
  return activated(registration)
}

interface Policy {
  createScriptURL(url: string): string
}
interface Policies {
  createPolicy(name: string, rules: Policy): Policy
}

/**
 * Pages with `require-trusted-types-for` take no text for a script's address, and name this policy in `trusted-types`.
 * It can be made once in a page: the SDK and the component, each with its own copy of this, share it.
 */
const trusted = (url: URL): string => {
  const page = globalThis as { trustedTypes?: Policies; heliographPolicy?: Policy | undefined }
  const policy = (page.heliographPolicy ??= page.trustedTypes?.createPolicy("heliograph", {
    createScriptURL: (it) => (new URL(it).origin === location.origin ? it : "")
  }))
  return policy?.createScriptURL(url.href) ?? url.href
}

/** The registration of our worker, when it is at work: `navigator.serviceWorker.ready` may be of another one. */
export const startWorker = async (config: Config): Promise<ServiceWorkerRegistration> => {
  const url = workerUrl(config)
  try {
    const scope = await scopeOf(config, url)
    const registration = await navigator.serviceWorker.register(trusted(url), { scope, updateViaCache: "none" })
    await activated(registration)
    return registration
  } catch (cause) {
    throw new HeliographError(
      "INVALID_CONFIG",
      `The worker ${url.pathname} does not start: this site must serve ${config.api}/sw.js there, as application/javascript. (${String(cause)})`,
      { cause }
    )
  }
}

/** The registration that is there already, without starting one. */
export const presentWorker = async (config: Config): Promise<ServiceWorkerRegistration | null> => {
  const url = workerUrl(config)
  const all = (await navigator.serviceWorker?.getRegistrations()) ?? []
  const scope = config.swScope === null ? null : new URL(config.swScope, location.href).href
  return all.find((one) => isOurs(one, url) && (scope === null || one.scope === scope)) ?? null
}
