import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { axeFaults, heading, loaded, typeWhileSaving, visitIn } from "./visits.ts"

/* What a workflow was, who made it so, and that nobody's work is lost: versions, two authors, undo, keys alone. */

let desk: Desk
let owner: string

beforeAll(async () => {
  desk = await openDesk(10)
  owner = await desk.signIn(OWNER)
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)

const HELLO = { key: "hello", type: "SEND", channels: ["inbox"], content: { title: "Hello" } }
const WAIT = { key: "wait", type: "DELAY", seconds: 3600 }
const ASK = { key: "ask", type: "FETCH", url: "https://example.com/", headers: { "X-Key": "s3cret" } }

const made = async (steps: ReadonlyArray<unknown>) => {
  const { body, status } = await desk.call("POST", "/api/v1/workflows", {
    name: "Orders",
    trigger: { type: "api" },
    steps
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const id = body.id as string
  return {
    id,
    path: `/apps/${desk.appId}/workflows/${id}`,
    change: (changes: unknown) => desk.call("PATCH", `/api/v1/workflows/${id}`, changes),
    read: async () => (await desk.call("GET", `/api/v1/workflows/${id}`)).body
  }
}
const edit = (page: Page) => page.getByRole("button", { name: "Edit the steps" }).click()
const order = (page: Page) =>
  page.getByRole("region", { name: /^Step \d/ }).evaluateAll((all) => all.map((one) => one.ariaLabel))

describe("versions", () => {
  it("are listed with who made them and the runs on each, stand side by side, and are taken as the draft", async () => {
    const one = await made([HELLO, WAIT])
    await desk.call("POST", `/api/v1/workflows/${one.id}/activate`)
    await desk.call("POST", `/api/v1/workflows/${one.id}/trigger`, { to: { user_ids: ["ada", "grace"] } })
    await desk.ask(
      owner,
      "mutation($id: ID!, $input: WorkflowChanges!) { updateWorkflow(id: $id, input: $input) { version } }",
      {
        id: one.id,
        input: {
          steps: [
            { ...WAIT, seconds: 7200 },
            { key: "bye", type: "SEND", channels: ["inbox"], content: { title: "Bye" } }
          ],
          trigger: { type: "event", event: "ordered" }
        }
      }
    )
    await visit(one.path, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "All versions" }).click()
      await heading(page, "Versions").waitFor()
      const row = (version: number) => page.getByRole("row", { name: new RegExp(`^${version} `) })
      await row(2).getByText(OWNER).waitFor()
      await row(2).getByText("Latest").waitFor()
      await row(1).getByText("An API key").waitFor()
      await expect.poll(() => row(1).getByRole("cell").nth(2).innerText()).toBe("2")

      // The last two, unless others are chosen.
      await page.getByText("3 steps changed.").waitFor()
      const item = (name: string) => page.getByRole("listitem", { name })
      await item("hello: removed").waitFor()
      await item("bye: added").waitFor()
      await expect.poll(() => item("wait: changed").getByRole("list").innerText()).toMatch(/seconds.*1 hour.*2 hours/s)
      await item("Who enters: changed").getByText("the event ordered").waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole("combobox", { name: "Compare", exact: true }).selectOption("2")
      await page.getByText("They say the same.").waitFor()

      await page.getByRole("button", { name: "Take as the draft… version 1" }).click()
      await page.getByRole("button", { name: "Make the draft" }).click()
      await page.getByRole("button", { name: "Save as version 3" }).click()
      await page.getByText("Saved as version 3").waitFor()
    })
    expect(await one.read()).toMatchObject({ version: 3, trigger: { type: "api" }, steps: [HELLO, WAIT] })
  })

  it("are read by a viewer on a phone in the dark, who is offered no change", async () => {
    const one = await made([HELLO, WAIT])
    await one.change({ steps: [HELLO] })
    const email = "reader@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    const token = await desk.signIn(email)
    await visit(`${one.path}/versions`, { token, colorScheme: "dark", width: 320 }, async (page) => {
      await page.getByText("One step changed.").waitFor()
      await loaded(page)
      expect(await page.locator("main").getByRole("button", { name: /Take/ }).count()).toBe(0)
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    })
  })
})

describe("saving", () => {
  it("keeps what is set meanwhile as a change of what was saved", async () => {
    const one = await made([HELLO])
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      const saving = { mutation: "SaveWorkflow", button: "Save as version 2", now: "First", later: "Second" }
      await typeWhileSaving(page.getByLabel("Name", { exact: true }), saving)
      await page.getByText("Saved as version 2").waitFor()
      expect((await one.read()).name).toBe("First")
      await page.getByRole("button", { name: "Save as version 3" }).click()
      await page.getByText("Saved as version 3").waitFor()
      await page.getByRole("button", { name: "Edit the steps" }).waitFor()
      expect(await one.read()).toMatchObject({ name: "Second", version: 3 })
    })
  })
})

describe("two authors", () => {
  it("see what the other has saved, and lose nothing of theirs", async () => {
    const one = await made([HELLO])
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      await page.getByLabel("Name", { exact: true }).fill("Mine")
      await page.getByRole("button", { name: "Copy hello" }).click()
      // The other one is faster, and this page has not heard of it.
      await one.change({ steps: [HELLO, WAIT] })
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByText("Version 2 was saved since you began with version 1.").waitFor()
      expect((await one.read()).steps).toEqual([HELLO, WAIT])
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole("link", { name: "What they changed" }).click()
      await page.getByRole("listitem", { name: "wait: added" }).waitFor()
      await page.goBack()
      await page.getByRole("link", { name: "Theirs beside mine" }).click()
      await page.getByRole("listitem", { name: "hello_2: added" }).waitFor()
      await page.getByRole("listitem", { name: "wait: removed" }).waitFor()
      await page.goBack()
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Mine")
      await page.getByRole("button", { name: "Put mine after theirs" }).click()
      await page.getByRole("button", { name: "Save as version 3" }).click()
      await page.getByText("Saved as version 3").waitFor()
    })
    expect(await one.read()).toMatchObject({ name: "Mine", version: 3, steps: [HELLO, { ...HELLO, key: "hello_2" }] })
    const { body } = await desk.call("GET", `/api/v1/workflows/${one.id}/version?version=2`)
    expect(body.steps).toEqual([HELLO, WAIT])
  })
})

describe("the canvas", () => {
  it("is worked by keys alone, takes changes back, and keeps the focus where one is", async () => {
    const which = {
      key: "which",
      type: "BRANCH",
      branches: [{ conditions: { tags_any: ["vip"] }, steps: [] }],
      else: []
    }
    const one = await made([HELLO, which, WAIT])
    const focused = (page: Page) => page.evaluate("document.activeElement.textContent")
    await visit(one.path, { token: owner }, async (page) => {
      const press = async (name: string | RegExp, key = "Enter") => {
        const button = page.getByRole("button", { name, exact: true })
        await button.focus()
        await page.keyboard.press(key)
      }
      await press("Edit the steps")
      await press("↑ Move wait up")
      await expect.poll(() => order(page)).toEqual(["Step 1: hello", "Step 2: wait", "Step 3: which"])
      await expect.poll(() => focused(page)).toContain("Move wait up")
      await page.keyboard.press("Enter")
      await expect.poll(() => order(page)).toEqual(["Step 1: wait", "Step 2: hello", "Step 3: which"])
      await page.keyboard.press("Control+z")
      await page.keyboard.press("Control+z")
      await expect.poll(() => order(page)).toEqual(["Step 1: hello", "Step 2: which", "Step 3: wait"])
      await page.keyboard.press("Control+Shift+z")
      await expect.poll(() => order(page)).toEqual(["Step 1: hello", "Step 2: wait", "Step 3: which"])
      await press("Undo", " ")

      await press("Move… hello elsewhere")
      await page.getByRole("dialog", { name: "Move hello" }).waitFor()
      await page.getByLabel("To", { exact: true }).waitFor()
      const options = await page.getByLabel("To", { exact: true }).getByRole("option").allInnerTexts()
      await page.getByLabel("To", { exact: true }).selectOption(options.find((words) => /vip/.test(words))!)
      await press("Move it")
      await expect.poll(() => order(page)).toEqual(["Step 1: which", "Step 2: hello", "Step 3: wait"])
      await expect.poll(() => focused(page)).toContain("hello")

      await press("Remove wait")
      await expect.poll(() => order(page)).toEqual(["Step 1: which", "Step 2: hello"])
      await expect.poll(() => focused(page)).toContain("Add a step")
      await page.getByRole("status").filter({ hasText: "Done: removed wait" }).waitFor({ state: "attached" })
      await page.keyboard.press("Enter")
      await press("Limit")
      await page.getByRole("dialog", { name: "Limit" }).waitFor()
      await page.keyboard.press("Escape")
      // What was not set is not there.
      await expect.poll(() => order(page)).toEqual(["Step 1: which", "Step 2: hello"])
      await press(/^Save as version/)
      await page.getByText("Saved as version 2").waitFor()
    })
    expect((await one.read()).steps).toEqual([
      { ...which, branches: [{ conditions: { tags_any: ["vip"] }, steps: [HELLO] }] }
    ])
  })

  it("keeps what is not saved through a reload, but for secrets, which have to be typed again", async () => {
    const one = await made([HELLO, ASK])
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      await page.getByRole("button", { name: "Edit… ask" }).click()
      const dialog = page.getByRole("dialog", { name: "Ask a server" })
      await dialog.getByText("Kept sealed", { exact: true }).waitFor()
      await dialog.getByRole("button", { name: "Add a header" }).click()
      await dialog.getByLabel("Name of header 2").fill("Authorization")
      await dialog.getByLabel("Value of Authorization").fill("Bearer t0ken")
      await dialog.getByRole("button", { name: "Set", exact: true }).click()
      await page.getByRole("button", { name: "Move ask up" }).click()
      expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("t0ken")
      await page.reload()
      await expect.poll(() => order(page)).toEqual(["Step 1: ask", "Step 2: hello"])
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByRole("region", { name: "Step 1: ask" }).getByRole("alert").waitFor()
      await page.getByRole("button", { name: "Edit… ask" }).click()
      await dialog.getByText("Authorization has to be typed again").waitFor()
      expect(await axeFaults(page)).toEqual([])
      await dialog.getByLabel("Value of Authorization").fill("Bearer t0ken")
      await dialog.getByRole("button", { name: "Set", exact: true }).click()
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByText("Saved as version 2").waitFor()
    })
    const headers = { "X-Key": "********", Authorization: "********" }
    expect((await one.read()).steps).toEqual([{ ...ASK, headers }, HELLO])
  })
})
