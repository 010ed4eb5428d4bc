import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { axeFaults, visitIn } from "./visits.ts"

/* The forms of steps and of triggers: what is filled in arrives as the API takes it, and shows as the same again. */

let desk: Desk
let owner: string

beforeAll(async () => {
  desk = await openDesk(10)
  owner = await desk.signIn(OWNER)
})

afterAll(() => desk?.close())

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) => visitIn(desk, path, options, use)

interface Made {
  readonly path: string
  readonly steps: () => Promise<any>
  readonly whole: () => Promise<any>
}

const made = async (steps: ReadonlyArray<unknown>, trigger: unknown = { type: "api" }): Promise<Made> => {
  const { body, status } = await desk.call("POST", "/api/v1/workflows", { name: "Forms", trigger, steps })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const whole = async () => (await desk.call("GET", `/api/v1/workflows/${body.id}`)).body
  return { path: `/apps/${desk.appId}/workflows/${body.id}`, whole, steps: async () => (await whole()).steps }
}

const HELLO = { key: "hello", type: "SEND", channels: ["inbox"], content: { title: "Hello" } }

/** Opens the canvas, and a new step of a type at its end. */
const add = async (page: Page, type: string): Promise<Locator> => {
  await page.getByRole("button", { name: "+ Add a step at the end", exact: true }).click()
  await page.getByRole("button", { name: type, exact: true }).click()
  return page.getByRole("dialog", { name: type })
}
const edit = (page: Page) => page.getByRole("button", { name: "Edit the steps" }).click()
const set = (dialog: Locator) => dialog.getByRole("button", { name: "Set", exact: true }).click()
const save = async (page: Page): Promise<void> => {
  const button = page.getByRole("button", { name: /^Save as version/ })
  const version = /\d+/.exec(await button.innerText())![0]
  await button.click()
  // What was said of the version before may show still.
  await page.getByText(`Saved as version ${version}`).waitFor()
}
const showAs = (dialog: Locator, form: "As a form" | "As JSON") =>
  dialog.getByRole("radio", { name: form }).click({ force: true })

describe("the form of a step", () => {
  it("SEND: ways, texts of each, and the outcome; or a template with variables", async () => {
    const { body: template } = await desk.call("POST", "/api/v1/templates", {
      name: "Invoice",
      content: { title: "Invoice {{ number }}" }
    })
    const one = await made([HELLO])
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      const dialog = await add(page, "Send")
      await dialog.getByLabel("E-mail", { exact: true }).check()
      await dialog.getByLabel("Title", { exact: true }).fill("Hello, {{ data.name }}")
      await dialog.getByLabel("Body", { exact: true }).fill("Good to see you")
      await dialog.getByLabel("Subject", { exact: true }).fill("{{ data.name")
      await dialog.getByLabel("HTML", { exact: true }).fill("<p>Hello</p>")
      await dialog.getByLabel("Wait until it is known").check()
      await dialog.getByText("Delivery", { exact: true }).click()
      await dialog.getByLabel("Worthless after").fill("4h")
      await dialog.getByLabel("Priority").selectOption("high")
      expect(await axeFaults(page)).toEqual([])
      await set(dialog)
      const second = await add(page, "Send")
      await second.getByRole("radio", { name: "A template" }).check({ force: true })
      await second.getByLabel("Variables").fill('{"number": 1')
      await set(second)
      await second.getByText("Variables must be JSON").waitFor()
      await second.getByLabel("Variables").fill('{"number": 17}')
      await set(second)
      await page.getByRole("button", { name: /^Save as version/ }).click()
      // Each at its field: a template that nobody has chosen, and a fault of Liquid with its line.
      await page.getByRole("region", { name: "Step 3: send_2" }).getByRole("alert").waitFor()
      await page.getByRole("button", { name: "Edit… send_2" }).click()
      await expect.poll(() => second.getByLabel("Template", { exact: true }).getAttribute("aria-invalid")).toBe("true")
      await second.getByLabel("Template", { exact: true }).selectOption({ label: "Invoice" })
      await set(second)
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page
        .getByRole("region", { name: "Step 2: send" })
        .getByText(/^The subject .*line 1/)
        .waitFor()
      await page.getByRole("button", { name: "Edit… send", exact: true }).click()
      await dialog.getByText(/^Subject .*line 1/).waitFor()
      await dialog.getByLabel("Subject", { exact: true }).fill("{{ data.name }}")
      await set(dialog)
      await save(page)
    })
    expect(await one.steps()).toEqual([
      HELLO,
      {
        key: "send",
        type: "SEND",
        channels: ["push", "email"],
        content: {
          title: "Hello, {{ data.name }}",
          body: "Good to see you",
          subject: "{{ data.name }}",
          html: "<p>Hello</p>"
        },
        wait_for_outcome: true,
        ttl: 14_400,
        priority: "high"
      },
      { key: "send_2", type: "SEND", channels: ["push"], template_id: template.id, variables: { number: 17 } }
    ])
  })

  it("DELAY: a length of time, a time of day, or the next allowed hours", async () => {
    const one = await made([HELLO])
    await visit(one.path, { token: owner, width: 320 }, async (page) => {
      await edit(page)
      const dialog = await add(page, "Wait")
      await dialog.getByLabel("For", { exact: true }).fill("3 days and 2 hours")
      await set(dialog)
      await page.getByText("3 days 2 hours", { exact: true }).waitFor()
      await add(page, "Wait")
      await dialog.getByRole("radio", { name: "Until a time of day" }).check({ force: true })
      await dialog.getByLabel("Until", { exact: true }).fill("18:30")
      await dialog.getByLabel(/^Time zone/).fill("Mars")
      await set(dialog)
      await add(page, "Wait")
      await dialog.getByRole("radio", { name: "Until the next allowed hours" }).check({ force: true })
      await dialog.getByLabel("From", { exact: true }).fill("21:00")
      await dialog.getByLabel("To", { exact: true }).fill("07:00")
      await dialog.getByLabel("Saturday").check()
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      await set(dialog)
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page
        .getByRole("region", { name: "Step 3: delay_2" })
        .getByText(/^The time zone must be an IANA/)
        .waitFor()
      await page.getByRole("button", { name: "Edit… delay_2" }).click()
      await dialog.getByText(/^Time zone of people .* must be an IANA/).waitFor()
      await dialog.getByLabel(/^Time zone/).fill("Europe/Vienna")
      await set(dialog)
      await save(page)
    })
    expect(await one.steps()).toEqual([
      HELLO,
      { key: "delay", type: "DELAY", seconds: 266_400 },
      { key: "delay_2", type: "DELAY", until: "18:30", timezone: "Europe/Vienna" },
      { key: "delay_3", type: "DELAY", window: { from: "21:00", to: "07:00", days: [1, 2, 3, 4, 5, 6] } }
    ])
  })

  it("FILTER: conditions about the person, what came, and messages; and groups of which one has to fit", async () => {
    const one = await made([HELLO])
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      const dialog = await add(page, "Go on only if")
      await dialog.getByLabel("Value", { exact: true }).fill("team")
      await dialog
        .getByRole("combobox", { name: "Add a condition", exact: true })
        .selectOption("What the event, or a step, brought")
      const about = dialog.getByRole("group", { name: "What the event, or a step, brought" })
      await set(dialog)
      await about.getByText("Give the path, such as order.total.").waitFor()
      await about.getByLabel("Name").fill("order.total")
      await about.getByLabel("How").selectOption("is more than")
      await about.getByLabel("Value").fill("100")
      await dialog
        .getByRole("combobox", { name: "Add a condition", exact: true })
        .selectOption("What became of a message")
      const message = dialog.getByRole("group", { name: "What became of a message" })
      await message.getByLabel("How").selectOption("was not")
      await expect.poll(() => message.getByLabel("The message of").inputValue()).toBe("hello")
      await dialog.getByRole("button", { name: /^Or: add groups/ }).click()
      await dialog
        .getByRole("combobox", { name: "Add a condition to group 1", exact: true })
        .selectOption("Has any of these tags")
      await dialog.getByLabel("Tags", { exact: true }).fill("vip, beta")
      await dialog.getByRole("button", { name: "Add another group" }).click()
      await dialog
        .getByRole("combobox", { name: "Add a condition to group 2", exact: true })
        .selectOption("What the event, or a step, brought")
      const last = dialog.getByRole("group", { name: "Or", exact: true })
      await last.getByLabel("Name").fill("steps.nothing.body.price")
      await last.getByLabel("How").selectOption("is there")
      expect(await axeFaults(page)).toEqual([])
      await set(dialog)
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByRole("region", { name: "Step 2: filter" }).getByRole("alert").waitFor()
      await page.getByRole("button", { name: "Edit… filter" }).click()
      // At the very condition.
      await last.getByText("It must name a FETCH, WAIT_FOR or DIGEST step that stands before.").waitFor()
      await last.getByLabel("Name").fill("gift")
      await set(dialog)
      await save(page)
    })
    expect((await one.steps())[1]).toEqual({
      key: "filter",
      type: "FILTER",
      conditions: {
        attributes: [{ name: "plan", op: "equals", value: "team" }],
        data: [{ name: "order.total", op: "greater", value: 100 }],
        steps: [{ key: "hello", is: "opened", not: true }],
        any: [{ tags_any: ["vip", "beta"] }, { data: [{ name: "gift", op: "exists" }] }]
      }
    })
  })

  it("BRANCH, DIGEST, THROTTLE and WAIT_FOR: ways, spans, bounds and what tells them apart", async () => {
    const one = await made([HELLO])
    await visit(one.path, { token: owner, colorScheme: "dark" }, async (page) => {
      await edit(page)
      const branch = await add(page, "Choose a way")
      const first = branch.getByRole("group", { name: "Way 1 is taken if all of this is true" })
      await first.getByLabel("Tags", { exact: true }).fill("vip, gold")
      await branch.getByRole("button", { name: "Add a way" }).click()
      const second = branch.getByRole("group", { name: "Way 2 is taken if all of this is true" })
      await set(branch)
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByText("Way 2: The conditions must have a condition.").waitFor()
      await page.getByRole("button", { name: "Edit… branch" }).click()
      await second.getByText("They must have a condition.").waitFor()
      await second.getByRole("combobox", { name: "Add a condition", exact: true }).selectOption("Language")
      await second.getByLabel("Languages").fill("de")
      expect(await axeFaults(page)).toEqual([])
      await set(branch)

      const digest = await add(page, "Collect")
      await digest.getByLabel("Collect for").fill("1 hour 30 min")
      await digest.getByLabel("Begin anew with each that comes").check()
      await digest.getByLabel("Go on early at").fill("1")
      await digest.getByLabel("Collect apart, by").fill("thread")
      expect(await axeFaults(page)).toEqual([])
      await set(digest)
      const throttle = await add(page, "Limit")
      await throttle.getByLabel("Runs of a person that go on, at most").fill("many")
      await set(throttle)
      await throttle.getByText("must be a whole number").waitFor()
      await throttle.getByLabel("Runs of a person that go on, at most").fill("2")
      await throttle.getByLabel("Within").fill("1 week")
      await throttle.getByLabel("Counted apart, by").fill("data.shop")
      expect(await axeFaults(page)).toEqual([])
      await set(throttle)
      const wait = await add(page, "Wait for an event")
      await wait.getByLabel("Event", { exact: true }).fill("paid")
      await wait.getByLabel("For, at most").fill("2 days")
      await wait.getByLabel("Its value at").fill("cart")
      await wait.getByLabel("Equals the run's at").fill("data.cart")
      expect(await axeFaults(page)).toEqual([])
      await set(wait)
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByText(/^The number must be between 2 and 1000/).waitFor()
      await page.getByRole("button", { name: "Edit… digest" }).click()
      await digest.getByText(/^Go on early at must be between 2 and 1000/).waitFor()
      await digest.getByText(/^Collect apart, by must be a path below data or steps/).waitFor()
      await digest.getByLabel("Go on early at").fill("20")
      await digest.getByLabel("Collect apart, by").fill("data.thread")
      await set(digest)
      await save(page)
    })
    expect(await one.steps()).toEqual([
      HELLO,
      {
        key: "branch",
        type: "BRANCH",
        branches: [
          { conditions: { tags_any: ["vip", "gold"] }, steps: [] },
          { conditions: { locales: ["de"] }, steps: [] }
        ],
        else: []
      },
      { key: "digest", type: "DIGEST", seconds: 5_400, sliding: true, at_most: 20, by: "data.thread" },
      { key: "throttle", type: "THROTTLE", at_most: 2, per_seconds: 604_800, by: "data.shop" },
      { key: "wait_for", type: "WAIT_FOR", event: "paid", seconds: 172_800, match: { event: "cart", run: "data.cart" } }
    ])
  })

  it("FETCH and UPDATE_CONTACT: sealed headers, a body of JSON, tags and attributes", async () => {
    const one = await made([HELLO])
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      const ask = await add(page, "Ask a server")
      await ask.getByLabel("URL", { exact: true }).fill("ftp://example.com/")
      await ask.getByLabel("Method").selectOption("PUT")
      await ask.getByRole("button", { name: "Add a header" }).click()
      await ask.getByLabel("Name of header 1").fill("Host")
      await ask.getByLabel("Value of Host").fill("s3cret")
      await ask.getByLabel("Body", { exact: true }).fill('{"cart": ')
      await set(ask)
      await ask.getByText("Body must be JSON").waitFor()
      await ask.getByLabel("Body", { exact: true }).fill('{"cart": "{{ data.cart }}"}')
      await set(ask)
      const change = await add(page, "Change the contact")
      await change.getByLabel("Add the tags").fill("paid, news")
      await change.getByLabel("Take away the tags").fill("trial, news")
      await change.getByRole("button", { name: "Add an attribute" }).click()
      await change.getByLabel("Name of attribute 1").fill("orders")
      await change.getByLabel("Value of orders").fill("3")
      await change.getByRole("button", { name: "Add an attribute" }).click()
      await change.getByLabel("Name of attribute 2").fill("coupon")
      await change.getByLabel("Value of coupon").fill("null")
      expect(await axeFaults(page)).toEqual([])
      await set(change)
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByText(/^The URL must be an http or https URL/).waitFor()
      await page.getByRole("button", { name: "Edit… fetch" }).click()
      await ask.getByText(/^URL must be an http or https URL/).waitFor()
      await ask.getByText(/^Host must be a header's name/).waitFor()
      expect(await axeFaults(page)).toEqual([])
      await ask.getByLabel("URL", { exact: true }).fill("https://example.com/carts")
      await ask.getByLabel("Name of header 1").fill("X-Key")
      await set(ask)
      await page.getByRole("button", { name: "Edit… update_contact" }).click()
      await change.getByLabel("Take away the tags").fill("trial")
      await set(change)
      await save(page)
      await edit(page)
      await page.getByRole("button", { name: "Edit… fetch" }).click()
      await ask.getByText("Kept sealed", { exact: true }).waitFor()
      await set(ask)
      await save(page)
    })
    expect((await one.steps()).slice(1)).toEqual([
      {
        key: "fetch",
        type: "FETCH",
        method: "PUT",
        url: "https://example.com/carts",
        headers: { "X-Key": "********" },
        body: { cart: "{{ data.cart }}" }
      },
      {
        key: "update_contact",
        type: "UPDATE_CONTACT",
        tags_add: ["paid", "news"],
        tags_remove: ["trial"],
        attributes: { orders: 3, coupon: null }
      }
    ])
  })

  it("is not taken with a number that would become another, until that is a text", async () => {
    const id = "9007199254740993"
    const one = await made([HELLO])
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      const change = await add(page, "Change the contact")
      await change.getByRole("button", { name: "Add an attribute" }).click()
      await change.getByLabel("Name of attribute 1").fill("shop")
      await change.getByLabel("Value of shop").fill(id)
      await set(change)
      await change.getByText(`${id} is a number beyond 2^53, which would be changed`).waitFor()
      await change.getByLabel("Value of shop").fill(`"${id}"`)
      await set(change)
      const filter = await add(page, "Go on only if")
      await filter.getByLabel("Name", { exact: true }).fill("shop")
      await filter.getByLabel("Value", { exact: true }).fill(id)
      await set(filter)
      await filter.getByText(`${id} is a number beyond 2^53, which would be changed`).waitFor()
      await filter.getByLabel("Value", { exact: true }).fill(`"${id}"`)
      await showAs(filter, "As JSON")
      const settings = filter.getByLabel("Settings", { exact: true })
      const typed = await settings.inputValue()
      await settings.fill(typed.replace(`"${id}"`, id))
      await set(filter)
      await filter.getByText(/^The settings cannot be sent: conditions\.attributes\[0\]\.value is a number/).waitFor()
      await settings.fill(typed)
      await set(filter)
      await save(page)
    })
    expect((await one.steps()).slice(1)).toMatchObject([
      { attributes: { shop: id } },
      { conditions: { attributes: [{ name: "shop", op: "equals", value: id }] } }
    ])
  })

  it("loses nothing on the way to JSON and back, not even what it does not show", async () => {
    const send = {
      key: "hello",
      type: "SEND",
      name: "Say hello",
      channels: ["push"],
      content: { title: "Hello", data: { screen: "home" } },
      overrides: { apns: { "interruption-level": "passive" } },
      track: { opens: false }
    }
    const odd = { attributes: [{ name: "city", op: "in", value: ["Frankfurt, Main"] }] }
    const one = await made([send, { key: "odd", type: "FILTER", conditions: odd }])
    await visit(one.path, { token: owner, colorScheme: "dark" }, async (page) => {
      await edit(page)
      await page.getByRole("button", { name: "Edit… hello" }).click()
      const dialog = page.getByRole("dialog", { name: "Send" })
      await dialog.getByLabel("Body", { exact: true }).fill("From the form")
      await showAs(dialog, "As JSON")
      const settings = dialog.getByLabel("Settings", { exact: true })
      await settings.waitFor()
      const typed = JSON.parse(await settings.inputValue())
      expect(typed).toEqual({
        channels: ["push"],
        content: { title: "Hello", body: "From the form", data: { screen: "home" } },
        overrides: { apns: { "interruption-level": "passive" } },
        track: { opens: false }
      })
      await settings.fill('{"channels": ')
      await showAs(dialog, "As a form")
      await dialog.getByText(/^The settings are no JSON/).waitFor()
      await settings.fill(JSON.stringify({ ...typed, ttl: 86_400 }))
      expect(await axeFaults(page)).toEqual([])
      await showAs(dialog, "As a form")
      await dialog.getByText("Delivery", { exact: true }).click()
      await expect.poll(() => dialog.getByLabel("Worthless after").inputValue()).toBe("1 day")
      await dialog.getByLabel("Title", { exact: true }).fill("Good day")
      await set(dialog)
      await page.getByRole("button", { name: "Edit… odd" }).click()
      const filter = page.getByRole("dialog", { name: "Go on only if" })
      await filter.getByText("They say more than this form can show").waitFor()
      await filter.getByLabel("Name, for people").fill("Frankfurt")
      await set(filter)
      await save(page)
    })
    expect(await one.steps()).toEqual([
      { ...send, content: { title: "Good day", body: "From the form", data: { screen: "home" } }, ttl: 86_400 },
      { key: "odd", type: "FILTER", name: "Frankfurt", conditions: odd }
    ])
  })
})

describe("what lets people in", () => {
  it("stays as it is where the form cannot say whom a schedule means", async () => {
    const to = { tags_all: ["vip", "beta"] }
    const one = await made([HELLO], { type: "schedule", cron: "0 9 * * 1", timezone: "UTC", to })
    await visit(one.path, { token: owner }, async (page) => {
      await edit(page)
      const kept = page.getByRole("radio", { name: "Everyone with all of the tags vip, beta" })
      expect(await kept.isChecked()).toBe(true)
      await page.getByRole("radio", { name: "People with a tag" }).click({ force: true })
      await kept.click({ force: true })
      await page.getByLabel("Times, as cron has them").fill("0 10 * * 1")
      await save(page)
      expect((await one.whole()).trigger).toMatchObject({ cron: "0 10 * * 1", to })
    })
  })

  it("is chosen in words: an event, a tag, a segment of the application, or times", async () => {
    const { body: segment } = await desk.call("POST", "/api/v1/segments", {
      name: "Gold",
      filter: { tags_any: ["gold"] }
    })
    const one = await made([HELLO])
    const way = (page: Page, name: string) => page.getByRole("radio", { name, exact: true }).click({ force: true })
    await visit(one.path, { token: owner, width: 320 }, async (page) => {
      let version = 1
      const saved = async () => {
        version++
        await page.getByRole("button", { name: `Save as version ${version}` }).click()
        await page.getByText(`Saved as version ${version}`).waitFor()
        return (await one.whole()).trigger
      }
      await edit(page)
      await way(page, "An event of yours")
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByText("Event must not be empty").waitFor()
      await page.getByLabel("Event", { exact: true }).fill("signed_up")
      expect(await saved()).toEqual({ type: "event", event: "signed_up" })
      await edit(page)
      await way(page, "A tag is added")
      await page.getByLabel("Tag", { exact: true }).fill("vip")
      expect(await saved()).toEqual({ type: "tag_added", tag: "vip" })
      await edit(page)
      await way(page, "They come into a segment")
      await page.getByLabel("Segment", { exact: true }).selectOption({ label: "Gold" })
      expect(await axeFaults(page)).toEqual([])
      expect(await saved()).toEqual({ type: "segment_entered", segment_id: segment.id })
      await edit(page)
      await way(page, "Times")
      await page.getByLabel("Times, as cron has them").fill("30 9 * * 8")
      await page.getByLabel("Time zone", { exact: true }).fill("America/New_York")
      await page.getByText("The next times show here").waitFor()
      await page.getByRole("button", { name: /^Save as version/ }).click()
      await page.getByText("Times, as cron has them must have a day of the week of 0 to 7").waitFor()
      await page.getByLabel("Times, as cron has them").fill("30 9 * * mon")
      await page.getByText("The next times, on the clocks of America/New_York:").waitFor()
      const times = page.locator(".times li")
      await expect
        .poll(() => times.allInnerTexts())
        .toEqual(Array(3).fill(expect.stringMatching(/^Monday.* at 09:30$/)))
      await way(page, "People with a tag")
      await page.getByLabel("Tags", { exact: true }).fill("gold, vip")
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      expect(await saved()).toEqual({
        type: "schedule",
        cron: "30 9 * * mon",
        timezone: "America/New_York",
        to: { tags_any: ["gold", "vip"] }
      })
    })
  })
})
