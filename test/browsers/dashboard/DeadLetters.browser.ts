import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { until } from "../Site.ts"
import { heading, loaded, visitIn } from "./visits.ts"

const DEVICES = 90

let desk: Desk
let owner: string
/** How many failed for want of a credential, and for dead devices. */
let missing: number
let dead: number
let sent: string

/** How many recipients have ended with each error, over all providers. */
const reasons = async (): Promise<Readonly<Record<string, number>>> => {
  const { body } = await desk.call("GET", `/api/v1/notifications/${sent}/outcomes`)
  const sums: Record<string, number> = {}
  for (const { count, error } of body.data) sums[error ?? "none"] = (sums[error ?? "none"] ?? 0) + count
  return sums
}

beforeAll(async () => {
  desk = await openDesk(DEVICES, 10, { WEBHOOK_RETRY_DELAYS: "10ms,10ms,10ms,10ms,10ms" })
  owner = await desk.signIn(OWNER)
  const receiver = desk.system.fleet.webhooks.receivers[0]!
  receiver.control.set({ do: "refuse", status: 503 })
  const { name, secret, url } = receiver
  await desk.call("POST", "/api/v1/webhooks", { name, url, secret, events: ["NOTIFICATION_FAILED"] })
  await desk.call("DELETE", "/api/v1/credentials/fcm")
  sent = await desk.send({ to: { all: true }, channels: ["push"], content: { title: "Autumn sale", body: "20 % off" } })
  await desk.call("PUT", "/api/v1/credentials/fcm", desk.system.fleet.description.credentials.fcm)
  const { credential_missing = 0, ...others } = await reasons()
  missing = credential_missing
  const { failed } = (await desk.call("GET", `/api/v1/notifications/${sent}`)).body.counts
  dead = failed - missing
  const missed = () => desk.call("GET", "/api/v1/dead-letters?kind=webhook&limit=1")
  await until("A dead letter of the webhook", missed, ({ body }) => body.data.length > 0)
  expect(others["none"]).toBe(DEVICES - failed)
  expect(missing).toBeGreaterThan(5)
  expect(dead).toBeGreaterThan(0)
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)
const list = () => `/apps/${desk.appId}/dead-letters`
const rows = (page: Page) => page.getByRole("region", { name: "Dead letters" }).locator("tbody tr")
const WHY = "There is no credential for the provider"

describe("dead letters", () => {
  it("leads there from Home, says why in words, and what cannot go again", async () => {
    await visit(`/apps/${desk.appId}`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Look at them" }).click()
      await heading(page, "Dead letters").waitFor()
      await page.getByLabel("What").selectOption("NOTIFICATION")
      await page.getByText("The recipient is gone").first().waitFor()
      await page.getByRole("link", { name: WHY }).first().click()
      await expect.poll(() => rows(page).count()).toBe(missing)
      expect(new URL(page.url()).searchParams.get("error")).toBe("credential_missing")
      await rows(page).first().getByRole("button").first().click()
      await page.getByText("Set it in Settings, Credentials, then send again to those who failed.").waitFor()
      await page.getByText("20 % off").waitFor()
      await page.getByRole("button", { name: "Clear" }).click()
      await page.getByLabel("What").selectOption("WEBHOOK")
      await page.getByRole("link", { name: "Deliver again there" }).first().waitFor()
      await rows(page).first().getByRole("button").first().click()
      await page.getByText('"event": "NOTIFICATION_FAILED"').waitFor()
      expect(await page.getByRole("button", { name: "Send these again…" }).count()).toBe(0)
      await page.getByLabel("Failed from").fill("2000-01-01")
      await page.getByLabel("to", { exact: true }).fill("2000-01-02")
      await page.getByText("No dead letter matches the filters.").waitFor()
    })
  })

  it("sends one again, then all that a filter describes, with progress that outlives a reload", async () => {
    await visit(`/apps/${desk.appId}/notifications/${sent}`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Dead letters of this notification" }).click()
      await page.getByRole("link", { name: WHY }).first().click()
      await expect.poll(() => rows(page).count()).toBe(missing)
      await page.getByRole("button", { name: "Send it again" }).first().click()
      await page
        .getByText(/^Sent again/)
        .first()
        .waitFor()
      await expect.poll(async () => (await reasons())["credential_missing"]).toBe(missing - 1)

      await page.getByRole("button", { name: "Send these again…" }).click()
      await page.getByRole("dialog").getByText(`of one notification that finally failed because “${WHY}”`).waitFor()
      await page.getByRole("button", { name: "Send them again" }).click()
      const progress = page.getByRole("status").filter({ hasText: "of one notification" })
      await progress.getByText("Done").waitFor()
      await progress.getByText(`${missing - 1} people`).waitFor()
      await page.reload()
      await progress.getByText(`${missing - 1} people`).waitFor()
      await expect.poll(async () => (await reasons())["credential_missing"]).toBe(undefined)
      await expect.poll(() => page.getByRole("button", { name: /^Send/ }).count()).toBe(0)
    })
  })

  it("shows a viewer what failed, and nothing to send it again with", async () => {
    const email = "viewer@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    await visit(`${list()}?kind=NOTIFICATION`, { token: await desk.signIn(email) }, async (page) => {
      await page.getByText("The recipient is gone").first().waitFor()
      await loaded(page)
      expect(await page.getByRole("button", { name: /^Send/ }).count()).toBe(0)
    })
  })

  it("keeps what it shows when the connection is lost", async () => {
    await visit(list(), { token: owner }, async (page) => {
      await rows(page).first().waitFor()
      await page.context().setOffline(true)
      await page.getByText(/^No connection to the service since/).waitFor()
      await expect.poll(() => rows(page).count()).toBeGreaterThan(0)
      await page.context().setOffline(false)
      await page.getByText(/^No connection to the service since/).waitFor({ state: "detached" })
    })
  })
})
