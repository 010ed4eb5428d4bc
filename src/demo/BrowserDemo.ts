import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { commands } from "../app.ts"
import { makeClient } from "./Client.ts"
import { environment, fleetOf } from "./Demo.ts"
import { DemoError, lastingPort, ready, start } from "./DemoProcesses.ts"
import { openDemoSite } from "./DemoSite.ts"

const NAMES = ["firefox", "firefox-esr"]
const PLACES = ["/Applications/Firefox.app/Contents/MacOS", "C:\\Program Files\\Mozilla Firefox"]

const firefox = (): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), ...PLACES]
    .flatMap((place) => NAMES.flatMap((name) => [join(place, name), join(place, `${name}.exe`)]))
    .find((path) => existsSync(path))

/** What a Firefox needs to have its pushes from the simulator instead of Mozilla. */
const preferences = (pushUrl: string): Readonly<Record<string, string | boolean>> => ({
  "dom.push.serverURL": pushUrl,
  "dom.push.testing.allowInsecureServerURL": true,
  "dom.push.enabled": true,
  "dom.push.connection.enabled": true,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false
})

/** A Firefox with a profile of its own, which goes with it. */
const openBrowser = (path: string, pushUrl: string, url: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const profile = await mkdtemp(join(tmpdir(), "heliograph-demo-"))
      const lines = Object.entries(preferences(pushUrl)).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`
      )
      await writeFile(join(profile, "user.js"), lines.join("\n"))
      const browser = spawn(path, ["--no-remote", "--profile", profile, url], { stdio: "ignore" })
      browser.on("error", () => undefined)
      return { browser, profile }
    }),
    ({ browser, profile }) =>
      Effect.promise(async () => {
        if (browser.exitCode === null && browser.kill()) await once(browser, "exit")
        await rm(profile, { recursive: true, force: true, maxRetries: 5 })
      })
  ).pipe(Effect.asVoid)

/**
 * Push in a browser, with everything on this machine: the engine, a push service that Firefox can use, and a site with
 * a button. Runs until it is stopped.
 */
export const runBrowserDemo = Effect.fnUntraced(function* (say: (line: string) => void) {
  say("Starting the push service, the engine and its database")
  const fleet = yield* fleetOf
  const env = environment(fleet, yield* lastingPort)
  const url = env["BASE_URL"]!
  const engine = yield* start(["serve"], env)
  yield* ready(engine, url, "/readyz")
  const application = yield* createApplication("Demo in the browser").pipe(
    Effect.provide(commands(env)),
    Effect.mapError((error) => new DemoError({ message: `The application was not created: ${String(error)}` }))
  )
  const client = makeClient(url, application.secretKey)
  yield* client.call("PUT", "/credentials/webpush", fleet.description.credentials.webpush)
  const site = yield* Effect.acquireRelease(
    Effect.promise(() =>
      openDemoSite({ api: url, appId: application.appId, key: application.publicKey, secretKey: application.secretKey })
    ),
    (site) => Effect.promise(() => site.close())
  )
  const { browserPush } = fleet.description
  const path = process.env["BROWSER"] === "none" ? undefined : firefox()
  if (path === undefined) {
    say("Open this page in a Firefox with the preferences (about:config) beside it:")
    for (const [name, value] of Object.entries(preferences(browserPush)).slice(0, 2)) say(`  ${name} = ${value}`)
  } else {
    yield* openBrowser(path, browserPush, site.url)
    say("Firefox opens the page: click on the button, and allow notifications.")
  }
  process.stdout.write(`${JSON.stringify({ page: site.url, push: browserPush })}\n`)
  say("Ctrl-C ends it.")
  return yield* Effect.never
})
