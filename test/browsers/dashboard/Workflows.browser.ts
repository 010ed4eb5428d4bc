import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { axeFaults, heading, loaded, visitIn } from "./visits.ts"

let desk: Desk
let owner: string

beforeAll(async () => {
  desk = await openDesk(10)
  owner = await desk.signIn(OWNER)
  await desk.call("POST", "/api/v1/contacts", { external_id: "ada", attributes: { plan: "pro" }, tags: ["vip"] })
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)
const app = () => `/apps/${desk.appId}`

const made = async (name: string, steps: ReadonlyArray<unknown>): Promise<string> => {
  const { body, status } = await desk.call("POST", "/api/v1/workflows", { name, trigger: { type: "api" }, steps })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

const STEPS = [
  { key: "pro", type: "FILTER", conditions: { attributes: [{ name: "plan", op: "equals", value: "pro" }] } },
  {
    key: "which",
    type: "BRANCH",
    branches: [
      {
        conditions: { data: [{ name: "total", op: "greater", value: 100 }] },
        steps: [{ key: "thanks", type: "SEND", channels: ["inbox"], content: { title: "Thank you, {{ data.name }}" } }]
      }
    ],
    else: [{ key: "later", type: "DELAY", seconds: 3600 }]
  }
]

describe("workflows", () => {
  it("are made on the canvas: steps added, moved and set, with faults where they are", async () => {
    await visit(`${app()}/workflows`, { token: owner }, async (page) => {
      await page.getByText("No workflow yet.").waitFor()
      await page.getByRole("button", { name: "New workflow…" }).click()
      await page.getByLabel("Name", { exact: true }).fill("Welcome")
      await page.getByLabel("Event", { exact: true }).fill("signed_up")
      await page.getByRole("button", { name: "Make the draft" }).click()
      await heading(page, "Welcome").waitFor()
      await page.getByText("the event signed_up").waitFor()

      await page.getByRole("button", { name: "Edit the steps" }).click()
      await page.getByRole("button", { name: "+ Add a step at the end" }).click()
      await page.getByRole("button", { name: "Wait", exact: true }).click()
      const dialog = page.getByRole("dialog", { name: "Wait" })
      await dialog.getByLabel("Settings").fill('{"seconds": ')
      await dialog.getByRole("button", { name: "Set" }).click()
      await dialog.getByText(/^The settings are no JSON/).waitFor()
      await dialog.getByLabel("Settings").fill('{"seconds": -1}')
      await dialog.getByRole("button", { name: "Set" }).click()
      await page.getByRole("button", { name: "Move delay up" }).click()
      await page.getByRole("button", { name: "Save as version 2" }).click()
      // At the very step, which is the first one now.
      await page.getByRole("region", { name: "Step 1: delay" }).getByRole("alert").waitFor()
      expect(await axeFaults(page)).toEqual([])

      // What was done outlives a reload.
      await page.reload()
      await page.getByRole("button", { name: "Edit… delay" }).click()
      await dialog.getByLabel("Settings").fill('{"seconds": 60}')
      await dialog.getByLabel("Name, for people").fill("A minute")
      await dialog.getByRole("button", { name: "Set" }).click()
      await page.getByRole("button", { name: "Save as version 2" }).click()
      await page.getByText("Saved as version 2").waitFor()
      await page.getByRole("region", { name: "Step 1: A minute" }).waitFor()
      const id = page.url().split("/").at(-1)!
      const { body } = await desk.call("GET", `/api/v1/workflows/${id}`)
      expect(body.steps).toMatchObject([
        { key: "delay", name: "A minute", type: "DELAY", seconds: 60 },
        { key: "send", type: "SEND", content: { title: "Welcome" } }
      ])
    })
  })

  it("are tried, made active, let people in, and show each one's way and why", async () => {
    const id = await made("Orders", STEPS)
    await visit(`${app()}/workflows/${id}`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Make a dry run…" }).click()
      const dialog = page.getByRole("dialog", { name: "Dry run" })
      await dialog.getByLabel("Person, by your own id").fill("ada")
      await dialog.getByLabel("What the trigger brings").fill('{"total": 150, "name": "Ada"}')
      await dialog.getByRole("button", { name: "Try it" }).click()
      await dialog.getByText("Thank you, Ada").waitFor()
      await dialog.getByText("Completed").waitFor()
      await dialog.getByRole("button", { name: "Close", exact: true }).last().click()

      await page.getByRole("button", { name: "Make it active" }).click()
      await page.getByRole("button", { name: "Add people…" }).click()
      await page.getByLabel("Their ids, as your application calls them").fill("ada\nstranger")
      await page.getByLabel("What they bring, as JSON").fill('{"total": 5}')
      await page.getByRole("button", { name: "Let them in" }).click()
      await page.getByRole("link", { name: "stranger" }).waitFor()
      await page
        .getByRole("row", { name: /stranger/ })
        .getByText("Filtered out")
        .waitFor()
      await page.getByRole("row", { name: /ada/ }).getByText("Waiting").waitFor()
      const first = page.getByRole("region", { name: "Step 1: pro" })
      await expect.poll(() => first.innerText()).toMatch(/entered\s+2\s+passed\s+1\s+stopped\s+1/i)
      expect(await axeFaults(page)).toEqual([])

      await page.getByRole("link", { name: "stranger" }).click()
      await heading(page, "stranger").waitFor()
      await page.getByText("plan").first().waitFor()
      await page.getByText("Stopped here").waitFor()
      expect(await axeFaults(page)).toEqual([])

      await page.goto(`${app()}/workflows/${id}`)
      await page.getByRole("link", { name: "ada" }).click()
      await page.getByRole("region", { name: "Step 4: later" }).getByText("Waits").waitFor()
      await page.getByRole("button", { name: "Cancel…" }).click()
      await page.getByRole("button", { name: "Cancel it" }).click()
      await page.getByText("by somebody").waitFor()
    })
  })

  it("are read by a viewer, who finds no control that would answer 403", async () => {
    const id = await made("Only read", STEPS)
    const email = "reader@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    const token = await desk.signIn(email)
    for (const path of [`${app()}/workflows`, `${app()}/workflows/${id}`]) {
      await visit(path, { token, colorScheme: "dark", width: 320 }, async (page) => {
        await page.getByText("Only read").first().waitFor()
        await loaded(page)
        const buttons = await page.locator("main").getByRole("button").allInnerTexts()
        expect(buttons.filter((words) => /New|Edit|Make|Add|Take|Delete|Cancel/.test(words))).toEqual([])
        expect(await axeFaults(page)).toEqual([])
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      })
    }
  })
})
