import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders, Server } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { axeFaults, heading, loaded, typeWhileSaving, visitIn } from "./visits.ts"

const DEVICES = 60

interface Post {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let desk: Desk
let owner: string
let viewer: string
let server: Server
let receiver: string
/** What the receiver answers. */
let status = 204
const posts: Array<Post> = []

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      posts.push({ path: request.url!, headers: request.headers, body })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  desk = await openDesk(DEVICES, 10, { WEBHOOK_RETRY_DELAYS: "10ms,10ms,10ms,10ms,10ms" })
  owner = await desk.signIn(OWNER)
  const email = "viewer@example.com"
  await desk.signIn(email)
  await desk.enrol(email, "viewer")
  viewer = await desk.signIn(email)
})

afterAll(async () => {
  await desk?.close()
  server?.close()
})

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)
const list = () => `/apps/${desk.appId}/webhooks`

const make = async (name: string, more: object = {}): Promise<string> =>
  (await desk.call("POST", "/api/v1/webhooks", { name, url: `${receiver}/${name}`, ...more })).body.id
const remove = (id: string) => desk.call("DELETE", `/api/v1/webhooks/${id}`)
const send = () => desk.send({ to: { all: true }, channels: ["push"], content: { title: "Sale" } })
const postsTo = (name: string) => posts.filter(({ path }) => path === `/${name}`)

/** Whether the post carries a signature by each of the secrets, and no other. */
const isSignedBy = ({ body, headers }: Post, ...secrets: ReadonlyArray<string>): boolean => {
  const [time, ...signatures] = String(headers["x-service-signature"]).split(", ")
  const signed = `${time!.slice(2)}.${body}`
  const wanted = secrets.map((secret) => `v1=${createHmac("sha256", secret).update(signed).digest("hex")}`)
  return signatures.join() === wanted.join()
}

const deliveries = (page: Page) => page.getByRole("region", { name: "Deliveries" }).locator("tbody tr")

describe("webhooks", () => {
  it("makes one, shows its secret once, tries it, and replaces the secret beside the one before", async () => {
    await visit(list(), { token: owner }, async (page) => {
      await page.getByText("No webhook yet.").waitFor()
      await page.getByRole("button", { name: "New webhook…" }).click()
      await page.getByLabel("Name").fill("orders")
      await page.getByLabel("Address").fill("ftp://example.com")
      await page.getByLabel("Only these").check()
      await page.getByRole("button", { name: "Make it" }).click()
      await page.getByText("Choose at least one event, or everything.").waitFor()
      await page.getByLabel("Message failed", { exact: true }).check()
      await page.getByRole("button", { name: "Make it" }).click()
      await expect.poll(() => page.getByLabel("Address").getAttribute("aria-invalid")).toBe("true")
      // What was typed outlives a reload.
      await page.reload()
      await page.getByRole("button", { name: "New webhook…" }).click()
      expect(await page.getByLabel("Name").inputValue()).toBe("orders")
      await page.getByLabel("Address").fill(`${receiver}/orders`)
      await page.getByRole("button", { name: "Make it" }).click()
      const first = await page.getByRole("dialog").locator(".secret code").innerText()
      await page.getByRole("button", { name: "I have it" }).click()
      await heading(page, "orders").waitFor()
      expect(await page.getByText(first).count()).toBe(0)

      await page.getByRole("button", { name: "Send a test…" }).click()
      const dialog = page.getByRole("dialog")
      expect(await dialog.getByLabel("Event").inputValue()).toBe("NOTIFICATION_FAILED")
      await dialog.getByRole("button", { name: "Send it" }).click()
      await dialog.getByText(/^Taken: answered 204 after \d+ ms\.$/).waitFor()
      expect(isSignedBy(postsTo("orders").at(-1)!, first)).toBe(true)
      status = 500
      await dialog.getByRole("button", { name: "Send another" }).click()
      await dialog.getByText(/^Refused: answered 500/).waitFor()
      status = 204
      await dialog.getByRole("button", { name: "Close" }).last().click()

      await page.getByRole("button", { name: "Make a new secret…" }).click()
      await dialog.getByRole("button", { name: "Make it" }).click()
      const second = await dialog.locator(".secret code").innerText()
      await dialog.getByText(/^The one before signs beside it until .*: change your receiver by then\.$/).waitFor()
      await dialog.getByRole("button", { name: "I have it" }).click()
      await page.getByText(/^The secret before signs beside the new one until/).waitFor()
      await page.getByRole("button", { name: "Send a test…" }).click()
      await dialog.getByRole("button", { name: "Send it" }).click()
      await dialog.getByText(/^Taken/).waitFor()
      expect(isSignedBy(postsTo("orders").at(-1)!, second, first)).toBe(true)
      await dialog.getByRole("button", { name: "Close" }).last().click()

      await page.getByRole("button", { name: "Delete…" }).click()
      await page.getByRole("button", { name: "Delete it for good" }).click()
      await page.getByText("No webhook yet.").waitFor()
    })
  })

  it("keeps what is typed while one is made and saved, as the next change of it", async () => {
    await visit(list(), { token: owner }, async (page) => {
      const name = page.getByRole("dialog").getByLabel("Name")
      await page.getByRole("button", { name: "New webhook…" }).first().click()
      await page.getByRole("dialog").getByLabel("Address").fill(`${receiver}/quick`)
      await typeWhileSaving(name, { mutation: "CreateHook", button: "Make it", now: "First", later: "Second" })
      await page.getByRole("button", { name: "I have it" }).click()
      await heading(page, "First").waitFor()
      const id = new URL(page.url()).pathname.split("/").at(-1)
      await page.getByRole("button", { name: "Change…" }).click()
      expect(await name.inputValue()).toBe("Second")
      await typeWhileSaving(name, { mutation: "UpdateHook", button: "Save", now: "Second", later: "Third" })
      await page.getByText(/^Saved/).waitFor()
      expect(await name.inputValue()).toBe("Third")
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const { body } = await desk.call("GET", `/api/v1/webhooks/${id}`)
      expect(body).toMatchObject({ name: "Third", url: `${receiver}/quick` })
      await desk.call("DELETE", `/api/v1/webhooks/${id}`)
    })
  })

  it("lists what was delivered with its answers, and delivers one again, and all of them with progress", async () => {
    const id = await make("shop")
    await send()
    await visit(`${list()}/${id}`, { token: owner }, async (page) => {
      await expect.poll(() => deliveries(page).filter({ hasText: "Delivered204" }).count()).toBeGreaterThan(0)
      await expect.poll(() => postsTo("shop").length).toBe(DEVICES)
      await deliveries(page).first().getByRole("button").click()
      await page.getByText(/Attempt 1: answered 204, after \d+ ms$/).waitFor()
      await page.getByText('"event": "NOTIFICATION_').waitFor()
      await page.getByRole("button", { name: "Deliver it again" }).click()
      await expect.poll(() => postsTo("shop").length).toBe(DEVICES + 1)
      await page.getByText(/Attempt 2: answered 204/).waitFor()

      await page.getByRole("button", { name: "Deliver again…" }).click()
      await page.getByRole("button", { name: "Deliver them again" }).click()
      await page.getByText("There was nothing to deliver again.").waitFor()
      await page.getByRole("button", { name: "Deliver again…" }).click()
      await page.getByLabel("What it has taken already").check()
      await page.getByRole("button", { name: "Deliver them again" }).click()
      await page.getByText(`${DEVICES} deliveries went on their way again.`, { exact: false }).waitFor()
      await page.reload()
      await page.getByText(`${DEVICES} deliveries went on their way again.`, { exact: false }).waitFor()
      await expect.poll(() => postsTo("shop").length).toBe(2 * DEVICES + 1)
      expect(new Set(postsTo("shop").map(({ body }) => JSON.parse(body).id)).size).toBe(DEVICES)

      await page.getByLabel("State").selectOption("EXHAUSTED")
      await page.getByText("No delivery matches the filters.").waitFor()
      await page.getByLabel("State").selectOption("DELIVERED")
      await page.getByLabel("Event").selectOption("NOTIFICATION_FAILED")
      await expect.poll(() => deliveries(page).filter({ hasText: "Message sent" }).count()).toBe(0)
      const failed = (await desk.call("GET", `/api/v1/dead-letters?kind=notification`)).body.data.length
      await expect.poll(() => deliveries(page).filter({ hasText: "Message failed" }).count()).toBe(failed)
      await page.getByRole("button", { name: "Clear" }).click()
      await page.getByRole("link", { name: "Older" }).click()
      await page.getByRole("link", { name: "Newest" }).waitFor()
      await expect.poll(() => deliveries(page).count()).toBe(25)
    })
    await remove(id)
  })

  it("shows how far each redelivery is, also one that is begun after another on the same page", async () => {
    const id = await make("twice")
    await visit(`${list()}/${id}`, { token: owner }, async (page) => {
      let begun = 0
      let asked = 0
      await page.route("**/api/graphql", (route) => {
        const { query, variables } = route.request().postDataJSON()
        if (query.startsWith("mutation Redeliver")) {
          const redeliverHook = { id: `redelivery-${++begun}`, status: "RUNNING", redelivered: 0 }
          return route.fulfill({ json: { data: { redeliverHook } } })
        }
        if (!query.startsWith("query Redelivery")) return route.continue()
        const isRunning = variables.id === "redelivery-2" && ++asked < 5
        const redelivery = {
          id: variables.id,
          status: isRunning ? "RUNNING" : "COMPLETED",
          redelivered: isRunning ? 3 : begun * 10,
          wanted: { status: "EXHAUSTED", deliveryId: null }
        }
        return route.fulfill({ json: { data: { redelivery } } })
      })
      for (const number of [10, 20]) {
        await page.getByRole("button", { name: "Deliver again…" }).click()
        await page.getByRole("button", { name: "Deliver them again" }).click()
        await page.getByText(`${number} deliveries went on their way again.`, { exact: false }).waitFor()
      }
    })
    await remove(id)
  })

  it("takes back nothing that others changed between what is typed and a reload", async () => {
    const id = await make("changed", { events: ["NOTIFICATION_FAILED"] })
    await visit(`${list()}/${id}`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Change…" }).click()
      await page.getByLabel("Name", { exact: true }).fill("Changed by me")
      const others = { url: `${receiver}/elsewhere`, events: ["NOTIFICATION_SENT"] }
      expect((await desk.call("PATCH", `/api/v1/webhooks/${id}`, others)).status).toBe(200)
      await page.reload()
      await page.getByRole("button", { name: "Change…" }).click()
      await page.getByRole("button", { name: "Save" }).click()
      await heading(page, "Changed by me").waitFor()
      const { body } = await desk.call("GET", `/api/v1/webhooks/${id}`)
      expect(body).toMatchObject({ name: "Changed by me", ...others })
    })
    await remove(id)
  })

  it("delivers nothing again while a moment is filled in by half, which would mean from the first", async () => {
    const id = await make("half")
    await visit(`${list()}/${id}`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Deliver again…" }).click()
      const from = page.getByLabel("Events from")
      await from.pressSequentially("0102")
      await page.getByRole("button", { name: "Deliver them again" }).click()
      await page.getByText("Events from is filled in by half: fill in the rest, or empty it").waitFor()
      expect(await from.evaluate((element) => element === document.activeElement)).toBe(true)
      expect(await axeFaults(page)).toEqual([])
      await from.fill("2026-01-01T09:00")
      await page.getByRole("button", { name: "Deliver them again" }).click()
      await page.getByText("There was nothing to deliver again.").waitFor()
    })
    await remove(id)
  })

  it("tells in a recipient's timeline what each webhook was told of them", async () => {
    const id = await make("told")
    const deaf = await make("deaf", { events: ["WORKFLOW_FAILED"] })
    const notification = await send()
    const sent = await desk.call("GET", `/api/v1/notifications/${notification}/deliveries?status=sent&limit=1`)
    const { device_id } = sent.body.data[0]
    const { user_id } = (await desk.call("GET", `/api/v1/devices/${device_id}`)).body
    await desk.call("POST", "/api/v1/events", { type: "opened", notification_id: notification, device_id })
    await visit(
      `/apps/${desk.appId}/notifications/${notification}?user=${user_id}#recipients`,
      { token: owner },
      async (page) => {
        await page.getByRole("button", { name: /^Device/ }).click()
        const steps = page.locator(".timeline li")
        await steps.filter({ hasText: "Message sent: webhook told was told, and answered 204" }).waitFor()
        await steps.filter({ hasText: "Message opened: webhook told was told, and answered 204" }).waitFor()
        expect(await page.getByText("webhook deaf").count()).toBe(0)
        await steps.getByRole("link", { name: "told" }).first().click()
        await heading(page, "told").waitFor()
      }
    )
    await remove(id)
    await remove(deaf)
  })

  it("says why one was disabled as it happens, and enables it from its page and from the list", async () => {
    const id = await make("broken")
    await visit(`${list()}/${id}`, { token: owner }, async (page) => {
      await page.getByText("Active", { exact: true }).waitFor()
      status = 503
      await send()
      await page.getByText(/^Disabled: .*answered 503/).waitFor()
      await page.getByRole("link", { name: "Home" }).click()
      await page.getByRole("link", { name: "Mend the webhook" }).click()
      status = 204
      await page.getByRole("button", { name: "Enable", exact: true }).click()
      await page.getByText("Active", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Deliver again…" }).click()
      await page.getByRole("button", { name: "Deliver them again" }).click()
      await page.getByText(/went on their way again/).waitFor()
      await expect.poll(() => deliveries(page).filter({ hasText: "Missed" }).count()).toBe(0)

      await page.getByRole("button", { name: "Switch off…" }).click()
      await page.getByRole("button", { name: "Switch it off" }).click()
      await page.getByText("Somebody switched it off.").waitFor()
      await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Webhooks" }).click()
      await page.getByRole("button", { name: "Enable broken" }).click()
      await page.getByText("Active", { exact: true }).waitFor()
    })
    await remove(id)
  })

  it("shows a viewer the state and the deliveries, and nothing that they may not do", async () => {
    const id = await make("seen", { is_active: false })
    for (const path of [list(), `${list()}/${id}`]) {
      await visit(path, { token: viewer }, async (page) => {
        await page.getByText("Switched off", { exact: true }).waitFor()
        await loaded(page)
        const names = await page.locator("main button").allInnerTexts()
        expect(names.filter((name) => !name.startsWith("Copy"))).toEqual([])
      })
    }
    await remove(id)
  })

  it("keeps what it shows when the connection is lost, and says of one that is gone that it is", async () => {
    const id = await make("kept")
    await visit(`${list()}/${id}`, { token: owner }, async (page) => {
      await heading(page, "kept").waitFor()
      await page.context().setOffline(true)
      await page.getByText(/^No connection to the service since/).waitFor()
      await expect.poll(() => heading(page, "kept").count()).toBe(1)
      await page.context().setOffline(false)
      await page.getByText(/^No connection to the service since/).waitFor({ state: "detached" })
      await remove(id)
      await page.reload()
      await heading(page, "No such webhook").waitFor()
    })
  })

  it.each(["light", "dark"] as const)("has no fault that axe finds in any dialog: %s", async (colorScheme) => {
    const id = await make("signed", { secret: "a long random text" })
    const problems: Array<string> = []
    for (const [path, button] of [
      [list(), "New webhook…"],
      [`${list()}/${id}`, "Send a test…"],
      [`${list()}/${id}`, "Change…"],
      [`${list()}/${id}`, "Make a new secret…"],
      [`${list()}/${id}`, "Deliver again…"]
    ] as const) {
      await visit(path, { token: owner, colorScheme }, async (page) => {
        await page.getByRole("button", { name: button }).click()
        const choice = page.getByLabel("Only these")
        if ((await choice.count()) > 0) await choice.check()
        problems.push(...(await axeFaults(page)).map((fault) => `${button} ${fault}`))
      })
    }
    expect(problems).toEqual([])
    await remove(id)
  })
})
