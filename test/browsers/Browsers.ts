import { execFileSync } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext } from "playwright-core"
import { chromium } from "playwright-core"
import type { Browser } from "puppeteer-core"
import { launch } from "puppeteer-core"
import { program } from "../Programs.ts"

/*
 * Real browsers from Debian's packages, headless, each with a profile of its own that goes with it. As root on Debian
 * they are installed when they are missing; elsewhere the error says how to get them.
 */

/** Starting a browser on a busy machine, and a step in it. Milliseconds. */
const PATIENCE = 60_000

export interface Opened<A> {
  readonly browser: A
  readonly close: () => Promise<void>
}

/** A folder that no other browser has. */
const profile = async (): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), "heliograph-browser-"))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}

export interface FirefoxOptions {
  /** Where its push service is: `fleet.description.browserPush`. */
  readonly push: string
  /** What the person answers when a site asks to show notifications; `granted` unless given. */
  readonly notifications?: "granted" | "denied"
}

/** Firefox, which subscribes at the simulator and decrypts for itself. Driven over WebDriver BiDi. */
export const openFirefox = async (options: FirefoxOptions): Promise<Opened<Browser>> => {
  const executablePath = program("firefox-esr", "firefox-esr")
  const { path, remove } = await profile()
  const browser = await launch({
    browser: "firefox",
    executablePath,
    headless: true,
    userDataDir: path,
    timeout: PATIENCE,
    protocolTimeout: PATIENCE,
    // For `asFirefox`.
    args: ["-remote-allow-system-access"],
    extraPrefsFirefox: {
      "dom.push.enabled": true,
      "dom.push.connection.enabled": true,
      "dom.push.serverURL": options.push,
      "dom.push.testing.allowInsecureServerURL": true,
      "dom.serviceWorkers.enabled": true,
      "dom.webnotifications.requireuserinteraction": false,
      // There is no desktop that could show them.
      "alerts.useSystemBackend": false,
      "permissions.default.desktop-notification": options.notifications === "denied" ? 2 : 1
    }
  })
  return {
    browser,
    close: async () => {
      await browser.close().catch(() => undefined)
      await remove()
    }
  }
}

/** The part of puppeteer's connection that its types leave out: commands of WebDriver BiDi as they are. */
interface Bidi {
  readonly connection: {
    readonly send: (
      method: string,
      parameters: unknown
    ) => Promise<{ readonly result: Readonly<Record<string, never>> }>
  }
}

/**
 * Runs a script as Firefox itself does, with the rights of its own windows: for what a person does outside of pages.
 * `browser.xhtml` is its window; the answer is a text.
 */
export const asFirefox = async (browser: Browser, script: string): Promise<string> => {
  const { connection } = browser as unknown as Bidi
  const tree = await connection.send("browsingContext.getTree", { "moz:scope": "chrome" })
  const [{ context }] = tree.result["contexts"] as unknown as readonly [{ readonly context: string }]
  const { result } = await connection.send("script.evaluate", {
    target: { context },
    expression: `(async () => String(await (async () => { ${script} })()))()`,
    awaitPromise: true
  })
  const { exceptionDetails, result: value } = result as unknown as {
    readonly exceptionDetails?: unknown
    readonly result?: { readonly value: string }
  }
  if (value === undefined) throw new Error(`Firefox failed: ${JSON.stringify(exceptionDetails)}`)
  return value.value
}

/** What the person decides about a site's notifications, in Firefox' settings of the site. */
export const permit = async (browser: Browser, origin: string, isAllowed: boolean | null): Promise<void> => {
  const principal = `Services.scriptSecurityManager.createContentPrincipalFromOrigin(${JSON.stringify(origin)})`
  await asFirefox(
    browser,
    isAllowed === null
      ? `Services.perms.removeFromPrincipal(${principal}, "desktop-notification")`
      : `Services.perms.addFromPrincipal(${principal}, "desktop-notification", ${isAllowed ? 1 : 2})`
  )
}

export interface ChromiumOptions {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: "light" | "dark"
  readonly forcedColors?: "active" | "none"
  /** An origin that may show notifications. */
  readonly notify?: string
}

/** Chromium through Playwright: pages, workers, accessibility and pictures. It reaches no push service of Google's. */
export const openChromium = async (options: ChromiumOptions = {}): Promise<Opened<BrowserContext>> => {
  const executablePath = program("chromium", "chromium")
  const { path, remove } = await profile()
  const browser = await chromium.launchPersistentContext(path, {
    executablePath,
    headless: true,
    timeout: PATIENCE,
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.colorScheme ?? "light",
    forcedColors: options.forcedColors ?? "none",
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // Pictures are the same on every machine.
      "--force-color-profile=srgb",
      "--font-render-hinting=none"
    ]
  })
  browser.setDefaultTimeout(PATIENCE)
  if (options.notify !== undefined) await browser.grantPermissions(["notifications"], { origin: options.notify })
  return {
    browser,
    close: async () => {
      await browser.close().catch(() => undefined)
      await remove()
    }
  }
}

/** For messages of failures. */
export const versions = (): string =>
  [program("firefox-esr", "firefox-esr"), program("chromium", "chromium")]
    .map((path) => execFileSync(path, ["--version"], { encoding: "utf8" }).trim())
    .join(", ")
