import { createHash } from "node:crypto"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Page } from "playwright-core"
import { build } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openChromium } from "./Browsers.ts"
import type { World } from "./World.ts"
import { openWorld } from "./World.ts"

const root = resolve(import.meta.dirname, "../..")
let world: World
let chromium: Awaited<ReturnType<typeof openChromium>>
let folder = ""

/** What both say: who is signed in is chosen by `show(user)`, and `show(null)` takes the component away. */
const COMMON = (options: unknown) => `
import { createClient } from "@heliograph/browser"
const identityHash = (userId) => fetch("/hash/" + userId).then((answer) => answer.text())
const heliograph = createClient({ ...${JSON.stringify(options)}, identityHash })
const inboxes = new Map()
const inboxOf = (userId) => inboxes.get(userId) ?? inboxes.set(userId, heliograph.inbox({ userId })).get(userId)
window.opened = []
const opened = (event) => { event.preventDefault(); window.opened.push(event.detail.title) }
`

const REACT = `
import { createElement as h, StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { HeliographInbox } from "@heliograph/browser/react"
const root = createRoot(document.querySelector("#app"))
window.show = (user) => root.render(h(StrictMode, null, user === null ? null :
  h(HeliographInbox, { inbox: inboxOf(user), onOpenMessage: (event) => opened(event), id: "inbox", title: "For " + user })))
`

const VUE = `
import { createApp, h, ref } from "vue"
import { HeliographInbox } from "@heliograph/browser/vue"
const user = ref(null)
createApp({ render: () => user.value === null ? null :
  h(HeliographInbox, { inbox: inboxOf(user.value), onOpenMessage: opened, id: "inbox", title: "For " + user.value }) }).mount("#app")
window.show = (next) => (user.value = next)
`

const page = (name: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title></head>
<body><div id="app"></div><script type="module" src="/${name}.js"></script></body></html>`

beforeAll(async () => {
  world = await openWorld(() => ({
    "/react": { body: page("react") },
    "/vue": { body: page("vue") },
    "/favicon.ico": { body: "" }
  }))
  const { appId, publicKey } = world.system.app
  folder = await mkdtemp(join(tmpdir(), "heliograph-wrappers-"))
  // As a site's bundler does: what the package has in dist, with the site's one copy of the framework.
  for (const [name, source] of [
    ["react", REACT],
    ["vue", VUE]
  ] as const) {
    const input = join(folder, `${name}.source.js`)
    await writeFile(input, COMMON({ appId, key: publicKey, api: world.system.url }) + source)
    const dist = join(root, "sdk/browser/dist")
    await build({
      input,
      resolve: {
        modules: [join(root, "node_modules")],
        alias: {
          "@heliograph/browser/react": join(dist, "react.js"),
          "@heliograph/browser/vue": join(dist, "vue.js"),
          "@heliograph/browser": join(dist, "browser.js")
        }
      },
      transform: { define: { "process.env.NODE_ENV": '"development"', __VUE_OPTIONS_API__: "true" } },
      logLevel: "silent",
      output: { file: join(folder, `${name}.js`), format: "es" }
    })
    const body = await readFile(join(folder, `${name}.js`), "utf8")
    world.site.files.set(`/${name}.js`, { body, type: "application/javascript" })
  }
  chromium = await openChromium()
})

afterAll(async () => {
  await chromium?.close()
  await world?.close()
  if (folder !== "") await rm(folder, { recursive: true, force: true })
})

const post = async (user: string, title: string): Promise<void> => {
  world.site.files.set(`/hash/${user}`, { body: world.hashOf(user) })
  const { status } = await world.call("POST", "/api/v1/inbox/messages", { user_ids: [user], title })
  expect(status).toBe(201)
}

const bell = (tab: Page, unread: number) =>
  tab.getByRole("button", { name: unread === 0 ? "Notifications" : `Notifications, ${unread} unread`, exact: true })

describe.each(["react", "vue"])("the wrapper for %s", (name) => {
  it("renders the component, hands on its event, follows its properties, and lets go when it is taken away", async () => {
    const tag = createHash("sha256").update(name).digest("hex").slice(0, 6)
    const [first, second] = [`ada-${tag}`, `bob-${tag}`]
    await post(first, "For Ada")
    await post(second, "For Bob")
    await post(second, "For Bob too")
    const tab = await chromium.browser.newPage()
    const mistakes: Array<string> = []
    tab.on("pageerror", (error) => mistakes.push(error.message))
    tab.on("console", (message) => message.type() === "error" && mistakes.push(message.text()))
    await tab.goto(`${world.site.url}/${name}`)
    await tab.evaluate(`window.show(${JSON.stringify(first)})`)
    await bell(tab, 1).click()
    await tab
      .getByRole("link", { name: "For Ada" })
      .or(tab.getByRole("button", { name: "For Ada", exact: true }))
      .click()
    await bell(tab, 0).waitFor()
    expect(await tab.evaluate("window.opened")).toEqual(["For Ada"])
    expect(await tab.evaluate("document.querySelector('heliograph-inbox#inbox').title")).toBe(`For ${first}`)

    await tab.evaluate(`window.show(${JSON.stringify(second)})`)
    await bell(tab, 2).waitFor()
    expect(await tab.evaluate("document.querySelectorAll('heliograph-inbox').length")).toBe(1)
    expect(await tab.evaluate("document.querySelector('heliograph-inbox').shadowRoot.textContent")).not.toContain("Ada")

    await tab.evaluate("window.show(null)")
    await tab.waitForFunction(`navigator.locks.query().then(({ held }) =>
      held.every(({ name }) => !name.startsWith("heliograph-inbox")))`)
    expect(await tab.evaluate("document.querySelectorAll('heliograph-inbox').length")).toBe(0)
    expect(mistakes).toEqual([])
    await tab.close()
  })
})
