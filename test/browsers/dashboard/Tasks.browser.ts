import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { heading, visitIn } from "./visits.ts"

/* What people come to the dashboard for, where a newcomer once stumbled: test/browsers/README.md has the list. */

const DEVICES = 60

let desk: Desk
let owner: string

beforeAll(async () => {
  desk = await openDesk(DEVICES, 10)
  owner = await desk.signIn(OWNER)
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)
const app = () => `/apps/${desk.appId}`

describe("why somebody got nothing", () => {
  const recipients = (page: Page) => page.getByRole("region", { name: "Recipients" }).locator("tbody tr")
  const find = async (page: Page, person: string): Promise<void> => {
    await page.getByLabel("Your own id, or an e-mail address").fill(person)
    await page.getByRole("button", { name: "Find" }).click()
  }

  it("is found by the person's address, which leads to the person and the device", async () => {
    const sent = await desk.send({ to: { all: true }, channels: ["push"], content: { title: "To everybody" } })
    const failed = await desk.call("GET", `/api/v1/notifications/${sent}/deliveries?status=failed&limit=1`)
    const { user_id } = (await desk.call("GET", `/api/v1/devices/${failed.body.data[0].device_id}`)).body
    await desk.call("POST", "/api/v1/contacts", { external_id: user_id, email: "mia@example.com" })
    await visit(`${app()}/notifications/${sent}`, { token: owner }, async (page) => {
      // An address that nobody has is no proof that somebody was left out.
      await find(page, "mia@example.org")
      await page.getByText("mia@example.org is the address of no contact.").waitFor()
      await find(page, "mia@example.com")
      await expect.poll(() => recipients(page).count()).toBe(1)
      await recipients(page)
        .getByRole("button", { name: /^Device/ })
        .click()
      await page.getByText("(mia@example.com)").waitFor()
      await page.getByRole("link", { name: "The device" }).waitFor()
      await page.getByRole("link", { name: user_id }).click()
      await heading(page, user_id).waitFor()
    })
  })

  it("is told while the message goes again: after which error, and when", async () => {
    const { control } = desk.system.fleet.smtp
    control.set({ do: "refuse", status: 503, reason: "4.7.1 busy" })
    const sent = await desk.call("POST", "/api/v1/notifications", {
      to: { emails: ["patient@example.com"] },
      content: { subject: "Later", body: "Soon" }
    })
    await visit(`${app()}/notifications/${sent.body.id}`, { token: owner }, async (page) => {
      const waiting = page.getByRole("list", { name: "Not yet" })
      await waiting.waitFor()
      expect(await waiting.innerText()).toMatch(/^1 not yet: The mail server puts it off.*smtp_451.*Tried again at /s)
      control.set()
      await desk.call("POST", `/api/v1/notifications/${sent.body.id}/cancel`)
      await expect.poll(() => waiting.count()).toBe(0)
    })
  })

  it("is told in words, and nobody is said to have failed any more once they were sent to again", async () => {
    const { control } = desk.system.fleet.smtp
    control.set({ do: "refuse", status: 554, reason: "5.7.1 refused by policy", every: 2 })
    const emails = Array.from({ length: 8 }, (_, index) => `winter-${index}@example.com`)
    const sent = await desk.send({ to: { emails }, content: { subject: "Winter", body: "Warm" } })
    control.set()
    await visit(`${app()}/dead-letters?notification=${sent}`, { token: owner }, async (page) => {
      await page
        .getByRole("button", { name: /^E-mail/ })
        .first()
        .click()
      await page.getByText(/^winter-\d@example.com, no contact$/).waitFor()
    })
    const { counts } = (await desk.call("GET", `/api/v1/notifications/${sent}`)).body
    expect(counts.failed).toBe(4)
    await visit(`${app()}/notifications/${sent}`, { token: owner }, async (page) => {
      const byProvider = page.getByRole("region", { name: "By provider" }).getByRole("row", { name: /^E-mail/ })
      await page.getByRole("link", { name: "4 The mail server refuses it by its rules" }).waitFor()
      await expect.poll(() => byProvider.innerText()).toMatch(/8\s+4\s+4\s+0/)
      await page.getByRole("button", { name: "Send again to those who failed…" }).click()
      await page.getByRole("button", { name: "Send again", exact: true }).click()
      await page.getByText("Sent again: 4 people", { exact: true }).waitFor()
      await page.getByText("Nobody failed.").waitFor()
      await expect.poll(() => byProvider.innerText()).toMatch(/8\s+8\s+0\s+0/)
      await expect.poll(() => recipients(page).filter({ hasText: "Failed" }).count()).toBe(0)
    })
  })
})

describe("sending again", () => {
  it("is offered once more to those who failed again, and asks no further how far it is once it is done", async () => {
    const { control } = desk.system.fleet.smtp
    control.set({ do: "refuse", status: 554, reason: "5.7.1 refused by policy" })
    const emails = ["spring-1@example.com", "spring-2@example.com"]
    const sent = await desk.send({ to: { emails }, content: { subject: "Spring", body: "Mild" } })
    await visit("/sign-in", { token: owner }, async (page) => {
      await page.clock.install()
      await page.goto(`${app()}/notifications/${sent}`)
      const again = page.getByRole("button", { name: "Send again to those who failed…" })
      let asked = 0
      page.on("request", (request) => {
        if (request.postData()?.includes("query ReplayProgress")) asked++
      })
      await again.click()
      await page.getByRole("button", { name: "Send again", exact: true }).click()
      await page.getByText("Sent again: 2 people", { exact: true }).waitFor()
      await again.waitFor()
      const before = asked
      await page.clock.runFor(10_000)
      expect(asked).toBe(before)
      control.set()
      await again.click()
      await page.getByRole("button", { name: "Send again", exact: true }).click()
      await page.getByText("Nobody failed.").waitFor()
    })
  })
})

describe("changing one's mind", () => {
  it("changes a notification that waits for its time, and leaves what it does not show as it was", async () => {
    const { body } = await desk.call("POST", "/api/v1/notifications", {
      to: { tags_any: ["news"], attributes: [{ name: "plan", op: "equals", value: "pro" }] },
      channels: ["push"],
      content: { title: "Tomorow", body: "At nine", data: { offer: 7 } },
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
      collapse_key: "offer"
    })
    const before = (await desk.call("GET", `/api/v1/notifications/${body.id}`)).body
    await visit(`${app()}/notifications/${body.id}`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Edit" }).click()
      await heading(page, "Change the notification").waitFor()
      await page.getByLabel("Title", { exact: true }).fill("Tomorrow")
      // What is typed is not lost by a reload.
      await page.reload()
      expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("Tomorrow")
      await page.getByRole("button", { name: "Review the changes…" }).click()
      await page.getByRole("button", { name: "Change it" }).click()
      await heading(page, "Tomorrow").waitFor()
      const after = (await desk.call("GET", `/api/v1/notifications/${body.id}`)).body
      expect(after).toMatchObject({
        status: "scheduled",
        content: { title: "Tomorrow", body: "At nine", data: { offer: 7 } },
        to: before.to,
        send_at: before.send_at,
        collapse_key: "offer"
      })
      await page.getByRole("button", { name: "Cancel…" }).click()
      await page.getByRole("button", { name: "Cancel it for good" }).click()
      await expect.poll(() => page.getByRole("link", { name: "Edit" }).count()).toBe(0)
    })
  })

  it("says that somebody else has changed it meanwhile, before it is changed once more", async () => {
    const { body } = await desk.call("POST", "/api/v1/notifications", {
      to: { tags_any: ["news"] },
      channels: ["push"],
      content: { title: "Tomorrow", body: "At nine" },
      send_at: new Date(Date.now() + 86_400_000).toISOString()
    })
    const one = `/api/v1/notifications/${body.id}`
    await visit(`${app()}/compose?edit=${body.id}`, { token: owner }, async (page) => {
      await page.getByLabel("Title", { exact: true }).fill("By me")
      await desk.call("PATCH", one, { content: { title: "Tomorrow", body: "By another" } })
      await page.getByRole("button", { name: "Review the changes…" }).click()
      await page.getByRole("button", { name: "Change it" }).click()
      await page.getByText("Somebody else has changed this notification since you opened it.").waitFor()
      expect((await desk.call("GET", one)).body.content).toEqual({ title: "Tomorrow", body: "By another" })
      await page.getByRole("button", { name: "Change it" }).click()
      await heading(page, "By me").waitFor()
    })
    await desk.call("POST", `${one}/cancel`)
  })

  it("moves one from everybody's own clock to a moment", async () => {
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    const { body } = await desk.call("POST", "/api/v1/notifications", {
      to: { all: true },
      content: { title: "By your clock" },
      send_at: day,
      local_time: "09:00",
      timezone: "Europe/Berlin"
    })
    await visit(`${app()}/notifications/${body.id}`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Edit" }).click()
      expect(await page.getByLabel("Day").inputValue()).toBe(day)
      await page.getByText("At a moment").click()
      await page.getByLabel("Moment, in Europe/Berlin").fill(`${day}T18:30`)
      await page.getByRole("button", { name: "Review the changes…" }).click()
      await page.getByRole("button", { name: "Change it" }).click()
      await heading(page, "By your clock").waitFor()
      const after = (await desk.call("GET", `/api/v1/notifications/${body.id}`)).body
      expect(after).toMatchObject({ local_time: null, status: "scheduled" })
      expect(new Date(after.send_at).getTime() - Date.parse(`${day}T16:30:00Z`)).toBeLessThanOrEqual(3_600_000)
    })
  })

  it("writes another like one that was sent, and counts who gets it before anything is written", async () => {
    const sent = await desk.send({ to: { tags_any: ["news"] }, channels: ["push"], content: { title: "Once" } })
    await visit(`${app()}/notifications/${sent}`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Write another like it" }).click()
      const side = page.getByRole("complementary", { name: "Preview" })
      expect(await page.getByLabel("With any of these tags").inputValue()).toBe("news")
      await side.getByText(/^\d+ recipients$/).waitFor()
      const number = await side.getByText(/^\d+ recipients$/).innerText()
      await page.getByLabel("Language").fill("German")
      await side.getByText("The language is its code, as de or pt-BR.").waitFor()
      await page.getByLabel("Language").fill("")
      await page.getByLabel("Title", { exact: true }).fill("")
      await side.getByText("Write a title or a body.").waitFor()
      await expect.poll(() => side.getByText(/^\d+ recipients$/).innerText()).toBe(number)
      await page.getByLabel("Title", { exact: true }).fill("Twice")
      await page.getByRole("button", { name: "Review and send…" }).click()
      await page.getByRole("button", { name: /^Send to/ }).click()
      await heading(page, "Twice").waitFor()
      expect(page.url()).not.toContain(sent)
    })
  })
})

describe("the first people", () => {
  it("come from a pasted table that knows their addresses alone", async () => {
    await visit(`${app()}/imports`, { token: owner }, async (page) => {
      await page.getByText("Pasted text").click()
      await page
        .getByLabel("Rows, the first with the names of the columns")
        .fill("Name;E-Mail;Language\nGreta;greta@example.de;de\nOla;ola@example.se;sv\n")
      await page.getByRole("button", { name: "Look at it" }).click()
      await page.getByText("People are known by their addresses then").waitFor()
      await page.getByRole("button", { name: "Import pasted rows" }).click()
      await page.getByText("2 rows: 2 new, 0 there before, none refused").waitFor()
    })
    const { body } = await desk.call("GET", "/api/v1/contacts/by-external-id/greta%40example.de")
    expect(body).toMatchObject({ external_id: "greta@example.de", email: "greta@example.de", locale: "de" })
  })
})

describe("a credential that is refused", () => {
  it("is mended with the provider's file, and keeps what was not touched", async () => {
    const good = desk.system.fleet.description.credentials.apns
    await desk.call("PUT", "/api/v1/credentials/apns", { ...good, key_id: "AAAAAAAAAA" })
    await visit(`${app()}/settings/credentials`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Check iOS (APNs)" }).click()
      await page.getByText("check “Team id”, “Key id” and “Private key”").first().waitFor()
      await page.getByRole("button", { name: /^(Mend|Change)… iOS/ }).click()
      await page.getByLabel("Key id").fill(good.key_id)
      await page.getByLabel("Private key from a file").setInputFiles({
        name: "AuthKey.p8",
        mimeType: "application/octet-stream",
        buffer: Buffer.from(good.private_key)
      })
      await expect.poll(() => page.getByLabel("Private key", { exact: true }).inputValue()).toMatch("PRIVATE KEY")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("The provider accepts it.").waitFor()
      const { settings } = (await desk.call("GET", "/api/v1/credentials/apns")).body
      expect(settings).toMatchObject({ key_id: good.key_id, sandbox_endpoint: good.sandbox_endpoint })
    })
  })
})

describe("a segment", () => {
  it("leads to writing to whom it means", async () => {
    const filter = { tags_any: ["news"] }
    const { body } = await desk.call("POST", "/api/v1/segments", { name: "Readers", filter })
    await visit(`${app()}/segments/${body.id}`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "Write to them" }).click()
      await heading(page, "New notification").waitFor()
      await expect.poll(() => page.getByLabel("Segment", { exact: true }).inputValue()).toBe(body.id)
      await page
        .getByRole("complementary", { name: "Preview" })
        .getByText(/^\d+ recipients$/)
        .waitFor()
    })
  })
})

describe("an owner", () => {
  it("is made after a question, which can be left with nothing changed", async () => {
    const email = "carol@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    await visit(`${app()}/settings/team`, { token: owner }, async (page) => {
      const role = page.getByLabel(`Role of ${email}`)
      await role.selectOption("OWNER")
      await page.getByRole("button", { name: "Go back" }).click()
      expect(await role.inputValue()).toBe("VIEWER")
      await role.selectOption("OWNER")
      await page.getByRole("button", { name: "Make them an owner" }).click()
      await expect.poll(() => role.inputValue()).toBe("OWNER")
    })
  })
})
