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
  await desk.call("POST", "/api/v1/contacts", {
    external_id: "ada",
    email: "ada@example.com",
    attributes: { plan: "pro" },
    tags: ["vip"]
  })
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
      await dialog.getByLabel("For", { exact: true }).fill("soon")
      await dialog.getByRole("button", { name: "Set" }).click()
      await dialog.getByText("For must be a length of time").waitFor()
      await dialog.getByLabel("For", { exact: true }).fill("500 days")
      await dialog.getByRole("button", { name: "Set" }).click()
      await page.getByRole("button", { name: "Move delay up" }).click()
      await page.getByRole("button", { name: "Save as version 2" }).click()
      // At the very step, which is the first one now, and in it at the very field.
      const first = page.getByRole("region", { name: "Step 1: delay" })
      await first.getByText("The length of time must be between 1 second and 365 days.").waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole("button", { name: "Move delay down" }).click()
      await page.getByRole("region", { name: "Step 2: delay" }).getByRole("alert").waitFor()
      await page.getByRole("button", { name: "Move delay up" }).click()
      await page.getByRole("button", { name: "Edit… delay" }).click()
      await dialog.getByText("For must be between 1 second and 365 days").waitFor()
      expect(await axeFaults(page)).toEqual([])

      // What is typed outlives a reload, in a dialog as well.
      await dialog.getByLabel("For", { exact: true }).fill("1 minute")
      await page.reload()
      await expect.poll(() => dialog.getByLabel("For", { exact: true }).inputValue()).toBe("1 minute")
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
      // Found by how an address begins, and picked.
      await dialog.getByLabel("Contact", { exact: true }).fill("ada@")
      await dialog.getByRole("button", { name: "ada · ada@example.com" }).click()
      await expect.poll(() => dialog.getByLabel("Contact", { exact: true }).inputValue()).toBe("ada")
      // The fields are those that the steps read.
      await dialog.getByLabel("Value of total").fill("150")
      await dialog.getByLabel("Value of name").fill("Ada")
      expect(await axeFaults(page)).toEqual([])
      await page.reload()
      await expect.poll(() => dialog.getByLabel("Value of name").inputValue()).toBe("Ada")
      await dialog.getByText("ada · ada@example.com · vip").waitFor()
      await dialog.getByRole("button", { name: "Try it" }).click()
      const sent = dialog.getByRole("region", { name: "Step 3: thanks" })
      await sent.getByText("Thank you, Ada").waitFor()
      await sent.getByText("Inbox", { exact: true }).waitFor()
      await sent.getByText("Passed").waitFor()
      await dialog.getByRole("region", { name: "Step 1: pro" }).getByText("attributes.plan").waitFor()
      await dialog.getByText("Completed").waitFor()
      expect(await axeFaults(page)).toEqual([])

      // The same as JSON; and somebody made up, whom nobody finds.
      await dialog.getByLabel("JSON", { exact: true }).check()
      const brought = dialog.getByRole("textbox", { name: "What the trigger brings" })
      expect(JSON.parse(await brought.inputValue())).toEqual({ total: 150, name: "Ada" })
      await brought.fill("{")
      await dialog.getByRole("button", { name: "Try it" }).click()
      await dialog.getByText("What the trigger brings is no JSON object").waitFor()
      await brought.fill('{"total": 5}')
      await dialog.getByLabel("That of somebody made up").check()
      await dialog.getByRole("button", { name: "Try it" }).click()
      await dialog.getByText("Filtered out").waitFor()
      await dialog.getByRole("button", { name: "Add an attribute" }).click()
      await dialog.getByLabel("Name of attribute 1").fill("plan")
      await dialog.getByLabel("Value of plan").fill("pro")
      await dialog.getByRole("button", { name: "Try it" }).click()
      await dialog.getByRole("region", { name: "Step 4: later" }).getByText("Waits").waitFor()
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

  it("are named where the messages are that they sent", async () => {
    const id = await made("Gifts", STEPS)
    await desk.call("POST", `/api/v1/workflows/${id}/activate`)
    const data = { total: 150, name: "Ada" }
    const { status } = await desk.call("POST", `/api/v1/workflows/${id}/trigger`, { to: { user_ids: ["ada"] }, data })
    expect(status).toBe(202)
    await visit(`${app()}/notifications`, { token: owner }, async (page) => {
      // The list asks again by itself.
      await page.getByRole("link", { name: "Gifts, step thanks" }).click()
      await heading(page, "Gifts, step thanks").waitFor()
      await page.getByRole("link", { name: "A workflow" }).click()
      await heading(page, "Gifts").waitFor()
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
