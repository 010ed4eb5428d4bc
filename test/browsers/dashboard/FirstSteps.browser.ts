import { afterAll, beforeAll, expect, it } from "vitest"
import { openFirefox } from "../Browsers.ts"
import { until } from "../Site.ts"
import { shownIn } from "../World.ts"
import type { Desk } from "./Desk.ts"
import { openDesk } from "./Desk.ts"

let desk: Desk
let firefox: Awaited<ReturnType<typeof openFirefox>>

beforeAll(async () => {
  desk = await openDesk(1)
  firefox = await openFirefox({ push: desk.system.fleet.description.browserPush })
})

afterAll(async () => {
  await firefox?.close()
  await desk?.close()
})

it("leads a new owner to a push in their own Firefox, which is shown and ticked, and takes it back", async () => {
  const token = await desk.signIn("first@example.com")
  const [{ id: organizationId }] = (await desk.ask(token, "{ organizations { id } }")).organizations
  const applications = "query($organizationId: ID!) { applications(organizationId: $organizationId) { nodes { id } } }"
  const appId = (await desk.ask(token, applications, { organizationId })).applications.nodes[0].id as string
  const { hostname } = new URL(desk.system.url)
  await firefox.browser.setCookie({
    name: "service_session",
    value: token,
    domain: hostname,
    path: "/",
    httpOnly: true
  })
  const page = await firefox.browser.newPage()
  await page.goto(`${desk.system.url}/apps/${appId}`)
  const text = () => page.evaluate("document.querySelector('.steps')?.innerText ?? ''") as Promise<string>
  await until("The first steps", text, (shown) => shown.includes("Send a push to this very browser"))
  expect((await text()).match(/To do/g)).toHaveLength(5)

  const press = (words: string) =>
    page.locator(`::-p-xpath(//button[normalize-space()="${words}"])`).setTimeout(30_000).click()
  await press("Send a push to this browser")
  await until(
    "The message",
    () => shownIn(page),
    (all) => all.some(({ title }) => title === "It works")
  )
  await until("The words of its arrival", text, (shown) => shown.includes("shown by your browser"))
  await until("The tick", text, (shown) => shown.match(/To do/g)?.length === 4)

  // A second try makes neither a second key nor a second device. It waits for its permission still when the person leaves.
  await page.evaluate(`{
    const { requestPermission } = Notification
    const granted = new Promise((resolve) => { window.grant = resolve })
    Notification.requestPermission = () => granted.then(() => requestPermission.call(Notification))
  }`)
  await press("Send another")
  const devices = async () =>
    (
      await desk.ask(token, "query($appId: ID!) { devices(appId: $appId, first: 5) { nodes { platform status } } }", {
        appId
      })
    ).devices.nodes
  expect(await devices()).toEqual([{ platform: "WEB", status: "ACTIVE" }])
  const { apiKeys } = await desk.ask(
    token,
    "query($appId: ID!) { apiKeys(appId: $appId, first: 10) { nodes { name } } }",
    { appId }
  )
  expect(apiKeys.nodes.filter(({ name }: { name: string }) => name === "Push to your browser")).toHaveLength(1)

  await press("No more of them here")
  await page.evaluate("window.grant()")
  const sent = async () =>
    (await desk.ask(token, "query($appId: ID!) { notifications(appId: $appId, first: 5) { nodes { id } } }", { appId }))
      .notifications.nodes
  await until("The second push", sent, (all) => all.length === 2)
  await until("The end of what is under way", text, (shown) => !shown.includes("No more of them here"))
  expect(await devices()).toEqual([])
  await page.reload()
  await until("The first steps again", text, (shown) => shown.includes("Send a push to this browser"))
  expect(await text()).not.toContain("No more of them here")
})
