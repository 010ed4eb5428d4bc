import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { axeFaults, heading, holdAnswer, loaded, visitIn } from "./visits.ts"

let desk: Desk
let owner: string

beforeAll(async () => {
  desk = await openDesk(10)
  owner = await desk.signIn(OWNER)
  await desk.call("POST", "/api/v1/contacts", { external_id: "ada", attributes: { name: "Ada" }, locale: "de-AT" })
  await desk.call("POST", "/api/v1/contacts", { external_id: "stranger" })
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)
const app = () => `/apps/${desk.appId}`

const ORDER = {
  name: "Order sent",
  content: { title: "Hello {{ contact.attributes.name }}", body: "{{ order }} is on its way" },
  locales: { de: { title: "Hallo {{ contact.attributes.name }}" } }
}
const MAIL = {
  name: "Monthly letter",
  content: {
    subject: "News for {{ contact.attributes.name | default: 'you' }}",
    html: "<h1>News</h1>\n<p>Dear reader,</p>\n<p>this is new.</p>\n"
  }
}
const make = async (draft: object): Promise<string> => {
  const { body, status } = await desk.call("POST", "/api/v1/templates", draft)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}
const saved = async (id: string) => (await desk.call("GET", `/api/v1/templates/${id}`)).body

const source = (page: Page, label: string) => page.getByRole("textbox", { name: label, exact: true })
const textOf = (page: Page, label: string) => source(page, label).innerText()
/** As by hand: the editor takes what is typed into it. */
const type = async (page: Page, label: string, text: string) => {
  await source(page, label).click()
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.insertText(text)
}
const preview = (page: Page) => page.getByRole("complementary", { name: "Preview" })

describe("templates", () => {
  it("are made, written in two languages side by side, seen as a contact gets them, and saved", async () => {
    await visit(`${app()}/templates`, { token: owner }, async (page) => {
      await page.getByText("No template yet.").waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole("button", { name: "New template…" }).click()
      await page.getByLabel("Name", { exact: true }).fill("Welcome")
      await page.getByRole("button", { name: "Make the template" }).click()
      await heading(page, "Welcome").waitFor()
      await type(page, "Title", "Hello {{ contact.attributes.name }}")
      await type(page, "Body", "{{ order }} is on its way")
      // What nobody gave is said before anybody fails for it.
      await preview(page).getByText("asks for").first().waitFor()

      await page.getByRole("button", { name: "Add a language…" }).click()
      await page.getByLabel("Language", { exact: true }).last().fill("german!")
      await page.getByRole("button", { name: "Add it" }).click()
      await page.getByText("must be a language tag").waitFor()
      await page.getByLabel("Language", { exact: true }).last().fill("de")
      await page.getByRole("button", { name: "Add it" }).click()
      await type(page, "Title, de", "Hallo {{ contact.attributes.name }}")
      expect(await textOf(page, "Title, default")).toBe("Hello {{ contact.attributes.name }}")

      await page.getByLabel("For a contact, by id or address").fill("ada")
      await page.getByLabel("Variables of the request, as JSON").fill('{"order": "No. 42"}')
      await preview(page).getByText("Hallo Ada").first().waitFor()
      await preview(page).getByText("No. 42 is on its way").first().waitFor()
      await page.getByLabel("Language", { exact: true }).selectOption({ label: "Default" })
      await preview(page).getByText("Hello Ada").first().waitFor()
      expect(await axeFaults(page)).toEqual([])

      await page.getByRole("button", { name: "Save as version 2" }).click()
      await page.getByText("Saved as version 2").waitFor()
      const id = new URL(page.url()).pathname.split("/").at(-1)!
      await page.getByRole("link", { name: "Write a notification" }).click()
      await page.getByText("From a template", { exact: true }).click()
      await page.getByLabel("Template", { exact: true }).selectOption({ label: "Welcome" })
      await page.getByRole("link", { name: "Look at it, or change it" }).click()
      await heading(page, "Welcome").waitFor()
      expect(await saved(id)).toMatchObject({
        name: "Welcome",
        version: 2,
        content: { title: "Hello {{ contact.attributes.name }}", body: "{{ order }} is on its way" },
        locales: { de: { title: "Hallo {{ contact.attributes.name }}" } }
      })
      await page.getByRole("button", { name: "Save", exact: true }).waitFor()
    })
  })

  it("have their faults at line and column, and a way to them", async () => {
    const id = await make(MAIL)
    await visit(`${app()}/templates/${id}`, { token: owner, colorScheme: "dark" }, async (page) => {
      await type(page, "HTML of the e-mail", "<h1>News</h1>\n<p>\n  {{ name | shout }}</p>")
      const place = page.getByRole("button", { name: "Line 3, column 3" })
      await place.waitFor()
      await page.getByText("undefined filter: shout").waitFor()
      expect(await source(page, "HTML of the e-mail").getAttribute("aria-invalid")).toBe("true")
      await expect.poll(() => page.locator(".cm-wrong").innerText()).toBe("{{ name | shout }}")
      expect(await axeFaults(page)).toEqual([])

      // The way leads to the very place: what is typed there takes the fault away.
      await place.click()
      for (let i = 0; i < "{{ name | ".length; i++) await page.keyboard.press("ArrowRight")
      for (let i = 0; i < "shout".length; i++) await page.keyboard.press("Delete")
      await page.keyboard.insertText("upcase")
      await place.waitFor({ state: "detached" })
      // A fault in a language that is not shown is told of too, and none is saved.
      await page.getByRole("button", { name: "Add a language…" }).click()
      await page.getByLabel("Language", { exact: true }).last().fill("de")
      await page.getByRole("button", { name: "Add it" }).click()
      await type(page, "Subject of the e-mail, de", "{% if %}")
      await page.getByRole("button", { name: /^Line 1, column/ }).waitFor()
      await page.getByText("Nothing", { exact: true }).click()
      await page.getByRole("button", { name: "Show de" }).waitFor()
      await page.getByRole("button", { name: "Save as version 2" }).click()
      await page.getByRole("alert").waitFor()
      expect((await saved(id)).version).toBe(1)
    })
  })

  it("keep what was typed through a reload and an ended session", async () => {
    const id = await make(ORDER)
    const token = await desk.signIn(OWNER)
    await visit(`${app()}/templates/${id}?language=de`, { token }, async (page) => {
      await type(page, "Title, de", "Guten Tag {{ contact.attributes.name }}")
      await page.getByText("Not saved yet; kept in this tab.").waitFor()
      await page.reload()
      expect(await textOf(page, "Title, de")).toBe("Guten Tag {{ contact.attributes.name }}")
      await desk.ask(token, "mutation { logout }")
      await page.getByRole("button", { name: "Save as version 2" }).click()
      const dialog = page.getByRole("dialog", { name: "Your session has ended" })
      await dialog.getByRole("button", { name: "I have a code already" }).click()
      await dialog.getByLabel("Code", { exact: true }).fill(await desk.loginCode(OWNER))
      await dialog.waitFor({ state: "detached" })
      expect(await textOf(page, "Title, de")).toBe("Guten Tag {{ contact.attributes.name }}")
      await page.getByRole("button", { name: "Save as version 2" }).click()
      await page.getByText("Saved as version 2").waitFor()
      expect((await saved(id)).locales.de.title).toBe("Guten Tag {{ contact.attributes.name }}")
      await page.reload()
      await page.getByRole("button", { name: "Save", exact: true }).waitFor()
    })
  })

  it("keep what is typed while they are being saved, as a change of what was saved", async () => {
    const id = await make(MAIL)
    await visit(`${app()}/templates/${id}`, { token: owner }, async (page) => {
      await type(page, "Subject of the e-mail", "Old news")
      const answer = await holdAnswer(page, "ChangeTemplate")
      await page.getByRole("button", { name: "Save as version 2" }).click()
      await type(page, "Subject of the e-mail", "Good news")
      answer()
      await page.getByText("Saved as version 2").waitFor()
      expect((await saved(id)).content.subject).toBe("Old news")
      await page.getByRole("button", { name: "Save as version 3" }).click()
      await page.getByText("Saved as version 3").waitFor()
      await page.getByRole("button", { name: "Save", exact: true }).waitFor()
      expect((await saved(id)).content.subject).toBe("Good news")
    })
  })

  it("of two people at once lose neither's work", async () => {
    const id = await make(ORDER)
    await visit(`${app()}/templates/${id}`, { token: owner }, async (page) => {
      await type(page, "Body", "{{ order }}: mine")
      await desk.call("PATCH", `/api/v1/templates/${id}`, { content: { title: "Theirs" } })
      await page.getByRole("button", { name: "Save as version 2" }).click()
      await page.getByText("Somebody else has saved version 2 while you edited version 1.").waitFor()
      expect((await saved(id)).content).toEqual({ title: "Theirs" })
      await page.getByRole("button", { name: "Compare theirs with yours" }).click()
      const dialog = page.getByRole("dialog", { name: "From version 2 to yours" })
      await dialog.getByRole("region", { name: "Body" }).getByText("{{ order }}: mine").waitFor()
      expect(await axeFaults(page)).toEqual([])
      await dialog.getByRole("button", { name: "Go back" }).click()
      await page.getByRole("button", { name: "Save yours as version 3" }).click()
      await page.getByText("Saved as version 3").waitFor()
      expect((await saved(id)).content.body).toBe("{{ order }}: mine")

      await type(page, "Body", "{{ order }}: mine again")
      await desk.call("PATCH", `/api/v1/templates/${id}`, { content: { body: "Theirs again" } })
      await page.getByRole("button", { name: "Save as version 4" }).click()
      await page.getByRole("button", { name: "Take theirs" }).click()
      await expect.poll(() => textOf(page, "Body")).toBe("Theirs again")
    })
  })

  it("show what each version changed and by whom, and can be taken back to one", async () => {
    const id = await make(MAIL)
    const html = MAIL.content.html.replace("this is new", "that is newer")
    await desk.call("PATCH", `/api/v1/templates/${id}`, { content: { ...MAIL.content, html } })
    await visit(`${app()}/templates/${id}`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Versions" }).click()
      const changed = page.getByRole("region", { name: "HTML of the e-mail", exact: true })
      await changed.getByText("<p>this is new.</p>").waitFor()
      await expect
        .poll(() => changed.getByRole("listitem").allInnerTexts())
        .toEqual([
          expect.stringMatching(/<h1>News<\/h1>/),
          expect.stringMatching(/<p>Dear reader,<\/p>/),
          expect.stringMatching(/Removed:\s+<p>this is new\.<\/p>/),
          expect.stringMatching(/Added:\s+<p>that is newer\.<\/p>/)
        ])
      await page
        .getByRole("row", { name: /Version 2/ })
        .getByText("An API key")
        .waitFor()
      expect(await axeFaults(page)).toEqual([])
      await page.getByRole("link", { name: "Version 1" }).click()
      await page.getByRole("button", { name: "Edit from version 1" }).click()
      await page.getByRole("button", { name: "Save as version 3" }).click()
      await page.getByText("Saved as version 3").waitFor()
      expect((await saved(id)).content).toEqual(MAIL.content)
      await page.getByRole("link", { name: "Versions" }).click()
      await page
        .getByRole("row", { name: /Version 3/ })
        .getByText(OWNER)
        .waitFor()
    })
  })

  it("may be as long as letters are", async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `<p>Line ${i} of a long letter, {{ name }}</p>`)
    const id = await make({ name: "Long", content: { subject: "Long", html: lines.join("\n") } })
    await visit(`${app()}/templates/${id}`, { token: owner }, async (page) => {
      await page.getByLabel("Variables of the request, as JSON").fill('{"name": "Ada"}')
      await preview(page).getByText("Long", { exact: true }).waitFor()
      await type(page, "Subject of the e-mail", "Longer")
      await preview(page).getByText("Longer", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Save as version 2" }).click()
      await page.getByText("Saved as version 2").waitFor()
      expect((await saved(id)).content).toEqual({ subject: "Longer", html: lines.join("\n") })
    })
  })

  it("are left by the keyboard as any field is, and deleted after saying what that means", async () => {
    const id = await make(ORDER)
    await visit(`${app()}/templates/${id}`, { token: owner }, async (page) => {
      await source(page, "Title").focus()
      await page.keyboard.press("Tab")
      const focused = () =>
        page.evaluate("document.activeElement.shadowRoot?.activeElement?.getAttribute('aria-label')")
      expect(await focused()).toBe("Body")
      await page.keyboard.press("Shift+Tab")
      expect(await focused()).toBe("Title")
      // One line stays one.
      await page.keyboard.press("End")
      await page.keyboard.press("Enter")
      await page.keyboard.insertText("!")
      expect(await textOf(page, "Title")).toBe("Hello {{ contact.attributes.name }}!")
      await page.keyboard.press("ControlOrMeta+z")
      await page.getByRole("button", { name: "Delete…" }).click()
      await page.getByRole("button", { name: "Delete the template" }).click()
      await heading(page, "Templates").waitFor()
      expect((await desk.call("GET", `/api/v1/templates/${id}`)).status).toBe(404)
    })
  })

  it("are read by a viewer on a phone, who finds no control that would answer 403", async () => {
    const id = await make({ ...ORDER, name: "Only read" })
    await desk.call("PATCH", `/api/v1/templates/${id}`, { content: { title: "Hi", body: "there" } })
    const email = "reader@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    const token = await desk.signIn(email)
    for (const path of ["", `/${id}?language=de`, `/${id}?view=versions&version=1`]) {
      await visit(`${app()}/templates${path}`, { token, colorScheme: "dark", width: 320 }, async (page) => {
        await page.getByText("Only read").first().waitFor()
        await loaded(page)
        const buttons = await page.locator("main").getByRole("button").allInnerTexts()
        expect(buttons.filter((words) => /New|Edit|Make|Add|Save|Delete|Remove|Discard/.test(words))).toEqual([])
        expect(await axeFaults(page)).toEqual([])
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
        if (!path.includes("language")) return
        await page.getByLabel("For a contact, by id or address").fill("ada")
        await preview(page).getByText("Hallo Ada").first().waitFor()
        await source(page, "Title, de").click()
        await page.keyboard.insertText("changed")
        expect(await textOf(page, "Title, de")).toBe(ORDER.locales.de.title)
      })
    }
  })
})
