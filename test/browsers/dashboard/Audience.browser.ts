import { readFile } from "node:fs/promises"
import type { Download, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { axeFaults, heading, loaded, typeWhileSaving, visitIn } from "./visits.ts"

const DEVICES = 120

let desk: Desk
let owner: string
/** A person with a device that works and one that does not, an address, and a message by each way. */
const ADA = "user-ada"
let adaId: string

const TOKENS = { good: "a1".repeat(32), dead: "b2".repeat(32) }

beforeAll(async () => {
  desk = await openDesk(DEVICES, 10)
  owner = await desk.signIn(OWNER)
  const { body } = await desk.call("POST", "/api/v1/contacts", {
    external_id: ADA,
    email: "ada.l@example.com",
    attributes: { plan: "pro", orders: 7, code: "700" },
    tags: ["vip", "news"],
    locale: "en-GB",
    timezone: "Europe/London"
  })
  adaId = body.id
  await desk.call(
    "POST",
    "/api/v1/devices/import",
    Object.values(TOKENS)
      .map((token) => `${JSON.stringify({ platform: "ios", token, user_id: ADA })}\n`)
      .join("")
  )
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)
const app = () => `/apps/${desk.appId}`

describe("contacts", () => {
  it("finds people by how an id, address or name begins, as they are typed, and says so where there is none", async () => {
    await visit(`${app()}/contacts`, { token: owner }, async (page) => {
      const box = page.getByLabel("Find by how an id, address or name begins")
      for (const text of [ADA, "ADA.L@ex"]) {
        await box.fill(text)
        await expect.poll(() => new URL(page.url()).searchParams.get("find")).toBe(text)
        await page.getByRole("link", { name: ADA }).waitFor()
        await expect.poll(() => page.getByRole("region", { name: "Contacts" }).locator("tbody tr").count()).toBe(1)
      }
      // As one types, a key after another: the list is asked when typing rests, and nothing typed is lost.
      await box.fill("")
      await box.pressSequentially("nobody", { delay: 60 })
      await page.getByText("There is no contact whose id, address or name begins with nobody.").waitFor()
      expect(await box.inputValue()).toBe("nobody")
      await page.reload()
      await page.getByText("There is no contact whose id, address or name begins with nobody.").waitFor()
      expect(await box.inputValue()).toBe("nobody")
      await page.getByRole("button", { name: "Show all contacts" }).click()
      await page.getByLabel("With the tag").fill("vip")
      await page.getByRole("button", { name: "Filter" }).click()
      await page.getByRole("link", { name: ADA }).click()
      await heading(page, ADA).waitFor()
    })
  })

  it("makes one from what is typed, which a reload keeps, and changes only what was edited", async () => {
    await visit(`${app()}/contacts`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "New contact…" }).first().click()
      await page.getByLabel("Your own id of the person").fill(ADA)
      await page.getByRole("button", { name: "Make the contact" }).click()
      await page.getByText(`${ADA} is a contact already.`).waitFor()
      await page.getByLabel("Your own id of the person").fill("user-grace")
      await page.getByLabel("E-mail", { exact: true }).fill("nonsense")
      await page.getByLabel("Tags", { exact: true }).fill("news\nbig, red")
      await page.getByRole("button", { name: "Add an attribute" }).click()
      await page.getByLabel("Name of attribute 1").fill("orders")
      await page.getByLabel("Value of orders").fill("3")
      await page.getByRole("button", { name: "Make the contact" }).click()
      await expect.poll(() => page.getByLabel("E-mail", { exact: true }).getAttribute("aria-invalid")).toBe("true")
      await page.reload()
      expect(await page.getByLabel("Your own id of the person").inputValue()).toBe("user-grace")
      await page.getByLabel("E-mail", { exact: true }).fill("grace.h@example.com")
      await page.getByRole("button", { name: "Make the contact" }).click()
      await heading(page, "user-grace").waitFor()

      await page.getByRole("button", { name: "Edit…" }).click()
      await page.getByLabel("Language").fill("de-AT")
      // Meanwhile, by the application itself.
      await desk.call("POST", "/api/v1/contacts", { external_id: "user-grace", timezone: "Europe/Vienna" })
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const { body } = await desk.call("GET", "/api/v1/contacts/by-external-id/user-grace")
      expect(body).toMatchObject({
        email: "grace.h@example.com",
        tags: ["news", "big, red"],
        attributes: { orders: 3 },
        locale: "de-AT",
        timezone: "Europe/Vienna"
      })
    })
  })

  it("puts what is typed on top of what others wrote meanwhile, and asks where both wrote the same field", async () => {
    const user = { external_id: "user-edsger" }
    const { body } = await desk.call("POST", "/api/v1/contacts", {
      ...user,
      tags: ["base"],
      attributes: { plan: "free", city: "Rome" }
    })
    await visit(`${app()}/contacts/${body.id}?edit=yes`, { token: owner }, async (page) => {
      await page.getByLabel("Value of city").fill("Paris")
      await page.getByLabel("Tags", { exact: true }).fill("base\nmine")
      const others = { ...user, tags: ["base", "theirs"], attributes: { plan: "pro", city: "Rome" } }
      await desk.call("POST", "/api/v1/contacts", others)
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const saved = await desk.call("GET", "/api/v1/contacts/by-external-id/user-edsger")
      expect(saved.body).toMatchObject({ tags: ["base", "theirs", "mine"], attributes: { plan: "pro", city: "Paris" } })

      await page.getByRole("button", { name: "Edit…" }).click()
      await page.getByLabel("Value of city").fill("Oslo")
      await desk.call("POST", "/api/v1/contacts", { ...user, attributes: { plan: "pro", city: "Bergen" } })
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Somebody else has changed city since you opened this.").waitFor()
      const kept = await desk.call("GET", "/api/v1/contacts/by-external-id/user-edsger")
      expect(kept.body.attributes).toEqual({ plan: "pro", city: "Bergen" })
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
    })
    const { body: last } = await desk.call("GET", "/api/v1/contacts/by-external-id/user-edsger")
    expect(last.attributes).toEqual({ plan: "pro", city: "Oslo" })
  })

  it("takes back nothing that others changed between what is typed and a reload", async () => {
    const { body } = await desk.call("POST", "/api/v1/contacts", { external_id: "user-linus", tags: ["news"] })
    await visit(`${app()}/contacts/${body.id}?edit=yes`, { token: owner }, async (page) => {
      await page.getByLabel("Language").fill("de-AT")
      const others = { external_id: "user-linus", timezone: "Europe/Vienna", tags: ["news", "vip"] }
      await desk.call("POST", "/api/v1/contacts", others)
      await page.reload()
      expect(await page.getByLabel("Language").inputValue()).toBe("de-AT")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
    })
    const saved = await desk.call("GET", "/api/v1/contacts/by-external-id/user-linus")
    expect(saved.body).toMatchObject({ locale: "de-AT", timezone: "Europe/Vienna", tags: ["news", "vip"] })
  })

  it("keeps what is typed while a contact is made and saved, as the next change of it", async () => {
    await visit(`${app()}/contacts`, { token: owner }, async (page) => {
      const language = page.getByLabel("Language")
      await page.getByRole("button", { name: "New contact…" }).first().click()
      await page.getByLabel("Your own id of the person").fill("user-quick")
      // The first is told for some seconds yet when the second is.
      for (const [mutation, button, told, now, later] of [
        ["UpsertContact", "Make the contact", "user-quick is there", "de", "de-AT"],
        ["UpdateContact", "Save", "Saved", "de-AT", "fr"]
      ] as const) {
        await typeWhileSaving(language, { mutation, button, now, later })
        await page.getByText(told, { exact: true }).waitFor()
        await page.getByRole("dialog", { name: "Edit user-quick" }).waitFor()
        expect(await language.inputValue()).toBe(later)
      }
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const { body } = await desk.call("GET", "/api/v1/contacts/by-external-id/user-quick")
      expect(body).toMatchObject({ locale: "fr" })
    })
  })

  it("says how a person is reached, what they got, and why not", async () => {
    const good = (await desk.call("GET", `/api/v1/devices?user_id=${ADA}`)).body.data[0]
    const sent = await desk.send({
      to: { user_ids: [ADA] },
      channels: ["push"],
      content: { title: "Your order", body: "It is on its way" }
    })
    await desk.send({
      to: { tags_any: ["nobody-has-this", "news"] },
      channels: ["push"],
      content: { title: "Not for her" }
    })
    await desk.call("POST", "/api/v1/events", { type: "opened", notification_id: sent, device_id: good.id })
    // What runs of workflows send to others stands before it.
    for (let i = 0; i < 11; i++)
      await desk.send({ to: { user_ids: [`other-${i}`] }, channels: ["inbox"], content: { title: "Other" } })
    const workflow = await desk.call("POST", "/api/v1/workflows", {
      name: "Hello",
      trigger: { type: "api" },
      steps: [{ key: "later", type: "DELAY", seconds: 86_400 }]
    })
    await desk.call("POST", `/api/v1/workflows/${workflow.body.id}/activate`)
    await desk.call("POST", `/api/v1/workflows/${workflow.body.id}/trigger`, { to: { user_ids: [ADA] } })
    await visit(`${app()}/contacts/${adaId}`, { token: owner }, async (page) => {
      await page.getByText("Reached by push on 2 devices, e-mail and the inbox.").waitFor()
      const messages = page.getByRole("region", { name: "Messages" })
      await expect.poll(() => messages.locator("tbody tr").count()).toBe(2)
      await messages.getByText("Sent, opened").waitFor()
      await page.getByRole("link", { name: "Hello" }).waitFor()
      // A text that looks like a number is told from a number.
      await page.getByText('"700"').waitFor()

      await page.getByRole("checkbox", { name: "Push" }).click()
      await page.getByText("Reached by e-mail and the inbox; not by push, which the person does not want.").waitFor()
      await page.getByRole("button", { name: "Unsubscribe ada.l@example.com" }).click()
      await page.getByText(/not by e-mail, from which the person unsubscribed/).waitFor()
      await page.getByRole("button", { name: "Subscribe again… ada.l@example.com" }).click()
      await page.getByRole("button", { name: "Subscribe it again" }).click()
      await page.getByText(/^Reached by e-mail and the inbox/).waitFor()
      await page.getByRole("link", { name: "Hello" }).click()
      await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/workflows\/[^/]+\/runs\/[^/]+$/)
    })
  })

  it("says that an address could not be unsubscribed", async () => {
    await visit(`${app()}/contacts/${adaId}`, { token: owner }, async (page) => {
      await page.route("**/api/graphql", (route) =>
        route.request().postData()?.includes("mutation ChangeChannel")
          ? route.fulfill({ json: { errors: [{ message: "It broke.", extensions: { code: "internal_error" } }] } })
          : route.continue()
      )
      await page.getByRole("button", { name: "Unsubscribe ada.l@example.com" }).click()
      await page.getByRole("alert").getByText("It broke.").waitFor()
    })
  })

  it("deletes a person with everything about them, after saying what that is", async () => {
    const { body } = await desk.call("POST", "/api/v1/contacts", {
      external_id: "user-gone",
      email: "gone@example.com"
    })
    await visit(`${app()}/contacts/${body.id}`, { token: owner }, async (page) => {
      await page.getByRole("button", { name: "Delete…" }).click()
      await page.getByText(/0 devices, 1 channel/).waitFor()
      await page.getByRole("button", { name: "Delete the person" }).click()
      await heading(page, "Contacts").waitFor()
      expect((await desk.call("GET", `/api/v1/contacts/${body.id}`)).status).toBe(404)
      await page.goto(`${app()}/contacts/${body.id}`)
      await heading(page, "No such contact").waitFor()
    })
  })

  it("keeps the list while the connection is lost", async () => {
    await visit(`${app()}/contacts`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: ADA }).waitFor()
      await page.context().setOffline(true)
      await page.getByLabel("With the tag").fill("vip")
      await page.getByRole("button", { name: "Filter" }).click()
      await page.getByText(/^No connection to the service since/).waitFor()
      await expect.poll(() => page.getByRole("link", { name: ADA }).count()).toBe(1)
      await page.context().setOffline(false)
      await page.getByText(/^No connection to the service since/).waitFor({ state: "detached" })
      await loaded(page)
      await page.getByRole("link", { name: ADA }).waitFor()
    })
  })
})

describe("devices", () => {
  it("lists them by what the filters say, and says why one is inactive", async () => {
    await desk.send({ to: { all: true }, channels: ["push"], content: { title: "Finds the dead ones" } })
    const { data } = (await desk.call("GET", "/api/v1/devices?status=invalid&limit=1")).body
    const [dead] = data
    await visit(`${app()}/devices`, { token: owner }, async (page) => {
      await page.getByLabel("State").selectOption("INVALID")
      await page.getByLabel("Platform").selectOption(dead.platform.toUpperCase())
      await expect.poll(() => new URL(page.url()).search).toBe(`?state=INVALID&platform=${dead.platform.toUpperCase()}`)
      const rows = page.getByRole("region", { name: "Devices" }).locator("tbody tr")
      await expect.poll(() => rows.getByText("Active", { exact: true }).count()).toBe(0)
      await page.getByLabel("Person, by your own id").fill(dead.user_id)
      await page.getByRole("button", { name: "Find" }).click()
      await expect.poll(() => rows.count()).toBe(1)
      await rows.getByRole("link").click()
      await page.getByText(/^Nothing is sent to it\. /).waitFor()
      await page.getByText(dead.invalid_reason, { exact: true }).waitFor()
      await page.goBack()
      await page.getByRole("button", { name: "Clear" }).click()
      await page.getByLabel("Last seen").selectOption("-90")
      await page.getByText("No device matches the filters.").waitFor()
    })
  })

  it("leads from a device to its person and back, and removes it", async () => {
    await desk.call("POST", "/api/v1/contacts", { external_id: "user-leaving" })
    const line = JSON.stringify({
      platform: "ios",
      token: "d4".repeat(32),
      user_id: "user-leaving",
      metadata: { model: "X" }
    })
    await desk.call("POST", "/api/v1/devices/import", `${line}\n`)
    const [device] = (await desk.call("GET", "/api/v1/devices?user_id=user-leaving")).body.data
    await visit(`${app()}/devices/${device.id}`, { token: owner }, async (page) => {
      await page.getByText("It gets what is sent to it.").waitFor()
      await page.getByRole("link", { name: "user-leaving" }).click()
      await heading(page, "user-leaving").waitFor()
      await page.getByRole("region", { name: "Devices" }).getByRole("link").click()
      await page.getByRole("button", { name: "Remove…" }).click()
      await page.getByRole("button", { name: "Remove it" }).click()
      await heading(page, "Devices").waitFor()
      expect((await desk.call("GET", `/api/v1/devices/${device.id}`)).status).toBe(404)
    })
  })
})

describe("segments", () => {
  const people = async () => {
    for (const [i, plan] of ["gold", "gold", "silver"].entries()) {
      await desk.call("POST", "/api/v1/contacts", {
        external_id: `member-${i}`,
        email: `member-${i}@example.com`,
        tags: ["members"],
        attributes: { tier: plan, visits: 10 * i }
      })
    }
  }

  it("are built by words, counted while they are, kept through a reload, and say which condition is wrong", async () => {
    await people()
    await visit(`${app()}/segments`, { token: owner }, async (page) => {
      await page.getByRole("link", { name: "New segment" }).first().click()
      await page.getByRole("button", { name: "Make the segment" }).click()
      await page.getByText("is missing: say how the segment is called").waitFor()
      const add = page.getByLabel("Add a condition")
      await add.selectOption("tagsAny")
      await page.getByLabel("Tags", { exact: true }).fill("members")
      const side = page.getByRole("complementary", { name: "Count" })
      await side.getByText("3 recipients").waitFor()
      await add.selectOption("attributes")
      await page.getByLabel("Name", { exact: true }).fill("tier")
      await page.getByLabel("Value", { exact: true }).fill("gold")
      await side.getByText("2 recipients").waitFor()
      await add.selectOption("attributes")
      const second = page.getByRole("group", { name: "Attribute" }).nth(1)
      await second.getByLabel("Name").fill("visits")
      await second.getByLabel("How").selectOption("GREATER_OR_EQUAL")
      await second.getByLabel("Value").fill("true")
      await page.reload()
      expect(await second.getByLabel("Value").inputValue()).toBe("true")
      await page.getByLabel("What these people have in common").fill("Gold members")
      await page.getByRole("button", { name: "Make the segment" }).click()
      await second.getByText(/must be a number or a text/).waitFor()
      expect(await page.getByRole("group", { name: "Attribute" }).first().locator(".fault").count()).toBe(0)
      await second.getByLabel("Value").fill("5")
      await side.getByText("1 recipient", { exact: true }).waitFor()
      await add.selectOption("lastSeen")
      await page.getByRole("button", { name: "Make the segment" }).click()
      await page.getByText("Give one of the two numbers of days.").waitFor()
      await page.getByRole("button", { name: "Remove condition 4" }).click()
      await page.getByRole("button", { name: "Make the segment" }).click()
      await page.getByRole("cell", { name: "has the tag members; tier is gold; visits is at least 5" }).waitFor()
      await page.getByRole("cell", { name: "1", exact: true }).waitFor()
    })
  })

  it("overwrite what somebody else has saved meanwhile only when told so, and are deleted", async () => {
    const draft = { name: "Contested", filter: { tags_any: ["members"] } }
    const { body } = await desk.call("POST", "/api/v1/segments", draft)
    await visit(`${app()}/segments/${body.id}`, { token: owner }, async (page) => {
      await page.getByLabel("Tags", { exact: true }).fill("members, guests")
      await desk.call("PATCH", `/api/v1/segments/${body.id}`, { name: "Contested by others" })
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Somebody else has changed this segment since you opened it.").waitFor()
      expect((await desk.call("GET", `/api/v1/segments/${body.id}`)).body.name).toBe("Contested by others")
      await page.getByRole("button", { name: "Save" }).click()
      await heading(page, "Segments").waitFor()
      expect((await desk.call("GET", `/api/v1/segments/${body.id}`)).body).toMatchObject({
        name: "Contested",
        filter: { tags_any: ["members", "guests"] }
      })
      await page.getByRole("link", { name: "Contested" }).click()
      await page.getByRole("button", { name: "Delete…" }).click()
      await page.getByRole("button", { name: "Delete the segment" }).click()
      await heading(page, "Segments").waitFor()
      expect((await desk.call("GET", `/api/v1/segments/${body.id}`)).status).toBe(404)
    })
  })

  it("keep what is typed while they are being saved, as a change of what was saved", async () => {
    await visit(`${app()}/segments/new`, { token: owner }, async (page) => {
      const name = page.getByLabel("What these people have in common")
      await page.getByLabel("Add a condition").selectOption("tagsAny")
      await page.getByLabel("Tags", { exact: true }).fill("quick")
      for (const [mutation, button, now, later] of [
        ["CreateSegment", "Make the segment", "First", "Second"],
        ["ChangeSegment", "Save", "Second", "Third"]
      ] as const) {
        await typeWhileSaving(name, { mutation, button, now, later })
        await heading(page, now).waitFor()
        expect(await name.inputValue()).toBe(later)
      }
      const id = new URL(page.url()).pathname.split("/").at(-1)
      await page.getByRole("button", { name: "Save", exact: true }).click()
      await heading(page, "Segments").waitFor()
      const { body } = await desk.call("GET", `/api/v1/segments/${id}`)
      expect(body).toMatchObject({ name: "Third", filter: { tags_any: ["quick"] } })
    })
  })

  it("stay as they are where a tag holds a comma, which the form would divide", async () => {
    const filter = { tags_any: ["wide, blue"] }
    const { body } = await desk.call("POST", "/api/v1/segments", { name: "Wide", filter })
    await visit(`${app()}/segments/${body.id}`, { token: owner }, async (page) => {
      await page.getByText("has the tag wide, blue").waitFor()
      await page.getByText("They say more than this form can show").waitFor()
      await page.getByRole("complementary", { name: "Count" }).getByText("0 recipients").waitFor()
      await page.getByLabel("What these people have in common").fill("Wide and blue")
      await page.getByRole("button", { name: "Save" }).click()
      await heading(page, "Segments").waitFor()
      expect((await desk.call("GET", `/api/v1/segments/${body.id}`)).body).toMatchObject({
        name: "Wide and blue",
        filter
      })
    })
  })

  describe("and who is in them", () => {
    const RIDERS = 25
    let riders: string
    beforeAll(async () => {
      const contacts = Array.from({ length: RIDERS }, (_, i) => ({
        external_id: `rider-${i}`,
        email: `rider-${i}@example.com`,
        attributes: { name: `Rider ${i}`, rides: true }
      }))
      const walker = { external_id: "walker", attributes: { name: "Walker", rides: false } }
      await desk.call("POST", "/api/v1/contacts/bulk", { contacts: [...contacts, walker] })
      const devices = ["rider-0", "rider-1", "walker"].map((user_id, i) =>
        JSON.stringify({ platform: "ios", token: `e${i}`.repeat(32), user_id })
      )
      await desk.call("POST", "/api/v1/devices/import", devices.join("\n"))
      const filter = { attributes: [{ name: "rides", op: "equals", value: true }] }
      riders = (await desk.call("POST", "/api/v1/segments", { name: "All riders", filter })).body.id
    })

    it.each(["light", "dark"] as const)("are shown page by page, as the segment is saved: %s", async (colorScheme) => {
      await visit(`${app()}/segments/${riders}`, { token: owner, colorScheme }, async (page) => {
        const people = page.getByRole("region", { name: "People in the segment" })
        const rows = people.locator("tbody tr")
        await expect.poll(() => rows.count()).toBe(20)
        expect(await rows.first().innerText()).toMatch(/^rider-(\d+)\s+Rider \1\s+rider-\1@example.com$/)
        const devices = page.getByRole("region", { name: "Devices in the segment" })
        await expect.poll(() => devices.locator("tbody tr").count()).toBe(2)
        await page.getByRole("link", { name: "More people" }).click()
        await expect.poll(() => rows.count()).toBe(RIDERS - 20)
        expect(await devices.locator("tbody tr").count()).toBe(2)

        await page.getByLabel("Value", { exact: true }).fill("false")
        await page.getByText("This is by the conditions as they are saved").waitFor()
        await page.getByRole("complementary", { name: "Count" }).getByText("1 recipient", { exact: true }).waitFor()
        expect(await people.getByText("walker").count()).toBe(0)
        await loaded(page)
        expect(await axeFaults(page)).toEqual([])
        await page.getByRole("link", { name: "First people" }).click()
        await expect.poll(() => rows.count()).toBe(20)
        await rows.first().getByRole("link").click()
        await heading(page, /^rider-\d+$/).waitFor()
      })
    })

    it("are exported, for those who only read as well, and nobody else is", async () => {
      const email = "rides@example.com"
      await desk.signIn(email)
      await desk.enrol(email, "viewer")
      const token = await desk.signIn(email)
      await visit(`${app()}/segments/${riders}`, { token }, async (page) => {
        const saved = async (press: string, name: RegExp) => {
          await page.getByRole("button", { name: press }).click()
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name }).click()
          ])
          return (await textOf(download)).trim()
        }
        const [head, ...people] = (await saved("Export people", /^Download contacts-of-all-riders-[-\d]+\.csv$/)).split(
          "\r\n"
        )
        expect(head).toBe("external_id,email,locale,timezone,tags,attributes,created_at")
        const all = Array.from({ length: RIDERS }, (_, i) => `rider-${i}`)
        expect(people.map((line) => line.split(",")[0]).toSorted()).toEqual(all.toSorted())
        await page.getByText("JSON lines, for programs").click()
        const devices = await saved("Export devices", /^Download devices-of-all-riders-[-\d]+\.ndjson$/)
        expect(
          devices
            .split("\n")
            .map((line) => JSON.parse(line).user_id)
            .toSorted()
        ).toEqual(["rider-0", "rider-1"])
        await page.getByRole("heading", { name: /^Export of people in All riders/ }).waitFor()
        expect(await axeFaults(page)).toEqual([])
        // On the page of all imports and exports as well.
        await page.getByRole("link", { name: "Import, export" }).click()
        await page.getByRole("heading", { name: /^Export of devices in All riders/ }).waitFor()
      })
    })

    it("are devices alone where they ask for a platform, and the page says so", async () => {
      const filter = { platforms: ["ios"], attributes: [{ name: "rides", op: "equals", value: false }] }
      const { body } = await desk.call("POST", "/api/v1/segments", { name: "Walkers on iOS", filter })
      await visit(`${app()}/segments/${body.id}`, { token: owner }, async (page) => {
        const devices = page.getByRole("region", { name: "Devices in the segment" })
        await expect.poll(() => devices.locator("tbody tr").count()).toBe(1)
        await page.getByText("Nobody: who asks for a platform means devices.").waitFor()
        await page.getByRole("button", { name: "Export devices" }).waitFor()
        expect(await page.getByRole("button", { name: "Export people" }).count()).toBe(0)
      })
    })

    it("are found behind pages on which nobody is, without a click", async () => {
      await visit(`${app()}/segments`, { token: owner }, async (page) => {
        // As if there were so many before them that two pages had been looked through.
        const FURTHER: Readonly<Record<string, string>> = { "": "one", one: "two" }
        await page.route("**/api/graphql", async (route) => {
          const text = route.request().postData() ?? ""
          if (!text.includes("query SegmentPeople")) return route.continue()
          const { query, variables } = JSON.parse(text) as { query: string; variables: { after: string | null } }
          const endCursor = FURTHER[variables.after ?? ""]
          if (endCursor === undefined) {
            return route.continue({ postData: JSON.stringify({ query, variables: { ...variables, after: null } }) })
          }
          return route.fulfill({
            json: { data: { contacts: { nodes: [], pageInfo: { hasNextPage: true, endCursor } } } }
          })
        })
        await page.getByRole("link", { name: "All riders" }).click()
        const rows = page.getByRole("region", { name: "People in the segment" }).locator("tbody tr")
        await expect.poll(() => rows.count()).toBe(20)
      })
    })
  })
})

const textOf = async (download: Download) => (await readFile(await download.path(), "utf8")).replace(/^\uFEFF/, "")
const exists = async (externalId: string) =>
  (await desk.call("GET", `/api/v1/contacts/by-external-id/${externalId}`)).status === 200

describe("imports and exports", () => {
  it("show what becomes of each column, go on after a reload, and say by line what was refused", async () => {
    const rows = Array.from({ length: 1_600 }, (_, i) =>
      i === 700
        ? "imported-700;nonsense;;"
        : i === 900
          ? ";nobody@example.com;;"
          : `imported-${i};i${i}@example.com;news,vip;${i}`
    )
    const csv = ["customer_id;e-mail;Labels;orders", ...rows].join("\r\n")
    await visit(`${app()}/imports`, { token: owner }, async (page) => {
      await page
        .getByLabel("CSV, or JSON lines")
        .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) })
      const becomes = (column: string) => page.getByLabel(`What ${column} becomes`)
      await expect.poll(() => becomes("customer_id").inputValue()).toBe("externalId")
      expect(await becomes("orders").inputValue()).toBe("attribute")
      await becomes("customer_id").selectOption("")
      await page.getByText(/Say which column is “Your own id”/).waitFor()
      await becomes("customer_id").selectOption("externalId")
      await page.getByText("The first 100 rows can be read.").waitFor()
      expect(await axeFaults(page)).toEqual([])

      // The second request never gets there: the page is reloaded, elsewhere, while it is under way. It stays held to the
      // end, because a browser that is to hold none any more lets go those that it held.
      let written = 0
      await page.route("**/api/graphql", (route) => {
        if (!route.request().postData()?.includes("ImportContacts")) return route.continue()
        return ++written === 2 ? undefined : route.continue()
      })
      await page.getByRole("button", { name: "Import people.csv" }).click()
      await expect.poll(() => written).toBe(2)
      await page.goto(`${app()}/contacts`)
      await expect.poll(() => exists("imported-1599")).toBe(true)

      await page.getByRole("link", { name: "Import, export" }).click()
      await page.getByText("1,600 rows: 1,598 new, 0 there before, 2 refused").waitFor()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download what was refused, by line" }).click()
      ])
      const [head, ...refused] = (await textOf(download)).trim().split("\r\n")
      expect(head).toBe("line,why,customer_id,e-mail,Labels,orders")
      expect(refused[0]).toMatch(/^702,.*email.*,imported-700,nonsense,,$/)
      expect(await axeFaults(page)).toEqual([])
      expect(refused[1]).toBe("902,customer_id is missing,,nobody@example.com,,")
      const log = await desk.call("GET", "/api/v1/audit-log?action=contacts.imported")
      expect(log.body.data).toMatchObject([{ actor: { kind: "user", email: OWNER } }])
      // What was on its way as the page was left may have been written twice.
      const { changed, created, file } = log.body.data[0].details
      expect([file, created]).toEqual(["people.csv", 1_598])
      expect(changed).toBeLessThanOrEqual(500)
      const { body } = await desk.call("GET", "/api/v1/contacts/by-external-id/imported-7")
      expect(body).toMatchObject({ email: "i7@example.com", tags: ["news", "vip"], attributes: { orders: 7 } })
      await page.getByRole("button", { name: "Forget people.csv" }).click()
      await page.getByText("Nothing yet.").waitFor()
    })
  })

  it("wait while there is no connection, pause and go on, take pasted devices, and are forgotten at sign-out", async () => {
    const lines = Array.from({ length: 350 }, (_, i) =>
      JSON.stringify({ platform: "android", token: `pasted-token-${i}`, user_id: `pasted-${i}`, tags: ["pasted"] })
    )
    const token = await desk.signIn(OWNER)
    await visit(`${app()}/imports`, { token }, async (page) => {
      await page.getByRole("group", { name: "What" }).first().getByText("Devices").click()
      await page.getByText("Pasted text").click()
      const area = page.getByLabel("Rows, the first with the names of the columns")
      await area.fill("platform\nwindows")
      await page.getByRole("button", { name: "Look at it" }).click()
      await page.getByText(/Say which column is “Token”/).waitFor()
      await area.fill(lines.join("\n"))
      await page.getByRole("button", { name: "Look at it" }).click()
      await page.getByText("The first 100 rows can be read.").waitFor()
      await page.context().setOffline(true)
      await page.getByRole("button", { name: "Import pasted rows" }).click()
      await page.getByText("No connection; it goes on by itself.").waitFor()
      await page.getByRole("button", { name: "Pause", exact: true }).click()
      await page.getByText("Paused", { exact: true }).waitFor()
      await page.context().setOffline(false)
      await page.getByRole("button", { name: "Go on" }).click()
      await page.getByText("350 rows: 350 new, 0 there before, none refused").waitFor()

      // Nothing of it stays in the browser for whoever comes next.
      await page.getByRole("button", { name: /^Account/ }).click()
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByLabel("E-mail address").waitFor()
      const name = "service_session"
      await page.context().addCookies([{ name, value: await desk.signIn(OWNER), url: desk.system.url }])
      await page.goto(`${app()}/imports`)
      await page.getByText("Nothing yet.").waitFor()
    })
    const { data } = (await desk.call("GET", "/api/v1/devices?tags_any=pasted&limit=100")).body
    expect(data).toHaveLength(100)
  })

  it("write everybody into a file that can be imported again, for those who only read as well", async () => {
    await desk.call("POST", "/api/v1/contacts", {
      external_id: "=cmd",
      attributes: { note: "=1+1" },
      tags: ["odd, tag"]
    })
    const email = "reader@example.com"
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    const token = await desk.signIn(email)
    await visit(`${app()}/imports`, { token }, async (page) => {
      expect(await page.getByRole("heading", { name: "Import", exact: true }).count()).toBe(0)
      const files: Array<string> = []
      for (const format of ["CSV, for spreadsheets", "JSON lines, for programs"]) {
        await page.getByText(format).click()
        await page.getByRole("button", { name: "Export them" }).click()
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: /^Download contacts-/ }).click()
        ])
        files.push(await textOf(download))
        await page.getByRole("button", { name: /^Forget contacts-/ }).click()
      }
      const [csv, ndjson] = files as [string, string]
      const people = ndjson
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { external_id: string; attributes: unknown })
      expect(people.find(({ external_id }) => external_id === "=cmd")).toMatchObject({ attributes: { note: "=1+1" } })
      expect(new Set(people.map(({ external_id }) => external_id)).size).toBe(people.length)
      expect(csv.split("\r\n")[0]).toBe("external_id,email,locale,timezone,tags,attributes,created_at")
      expect(csv.trim().split("\r\n")).toHaveLength(people.length + 1)
      expect(csv).toContain('\r\n\'=cmd,,,,"[""odd, tag""]",')
    })
  })

  it("say when this browser has no room for them, and are begun once by two presses", async () => {
    await visit(`${app()}/imports`, { token: owner }, async (page) => {
      // What is pressed twice before the page shows the first, as presses do that wait for a page at work.
      const twice = (name: string) =>
        page.getByRole("button", { name }).evaluate((element) => {
          for (let i = 0; i < 2; i++) (element as HTMLElement).click()
        })
      await page.evaluate(() => {
        const { add } = IDBObjectStore.prototype
        IDBObjectStore.prototype.add = () => {
          IDBObjectStore.prototype.add = add
          throw new DOMException("Quota exceeded.", "QuotaExceededError")
        }
      })
      const full = page.getByRole("alert").getByText("This browser has no room for it.")
      await page.getByRole("button", { name: "Export them" }).click()
      await full.waitFor()
      await twice("Export them")
      await page.getByRole("button", { name: /^Download contacts-/ }).waitFor()
      await full.waitFor({ state: "detached" })

      await page.getByText("Pasted text").click()
      await page.getByLabel("Rows, the first with the names of the columns").fill("customer_id\ntwice-1")
      await page.getByRole("button", { name: "Look at it" }).click()
      await page.evaluate(() => {
        const { add } = IDBObjectStore.prototype
        IDBObjectStore.prototype.add = () => {
          IDBObjectStore.prototype.add = add
          throw new DOMException("Quota exceeded.", "QuotaExceededError")
        }
      })
      await page.getByRole("button", { name: "Import pasted rows" }).click()
      await full.waitFor()
      await twice("Import pasted rows")
      await page.getByText("1 row: 1 new").waitFor()
      await expect.poll(() => page.locator(".jobs .job").count()).toBe(2)
    })
  })

  it("go on with an export that was begun before there were those of segments", async () => {
    const { me } = await desk.ask(owner, "{ me { id } }")
    const before = {
      type: "export",
      accountId: me.id,
      appId: desk.appId,
      kind: "contacts",
      format: "csv",
      name: "contacts-before.csv",
      state: "running",
      startedAt: new Date().toISOString(),
      endedAt: null,
      error: null,
      waiting: null,
      cursor: null,
      rows: 0
    }
    await visit(`${app()}/imports`, { token: owner }, async (page) => {
      await page.getByText("Nothing yet.").waitFor()
      await page.evaluate((job) => {
        localStorage.setItem("imports under way", "yes")
        return new Promise((resolve, reject) => {
          const request = indexedDB.open("heliograph imports", 1)
          request.addEventListener("error", reject)
          request.addEventListener("success", () => {
            const transaction = request.result.transaction("jobs", "readwrite")
            transaction.objectStore("jobs").add(job)
            transaction.addEventListener("complete", resolve)
          })
        })
      }, before)
      await page.reload()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download contacts-before.csv" }).click()
      ])
      expect(await textOf(download)).toContain("\r\nuser-ada,")
    })
  })
})
