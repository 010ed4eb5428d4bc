import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { Page } from "playwright-core"
import type { Desk } from "./Desk.ts"
import { until } from "../Site.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { expect, it } from "vitest"

/*
 * npm run dashboard:pictures: pictures of every page, light and dark, and of a phone, from a real engine, in the folder
 * that PICTURES names. Nothing that the browser refuses, and no error of a script, may come with them.
 */

/** A little of everything that pages show. */
const furnish = async (desk: Desk) => {
  const [one, two] = desk.system.fleet.webhooks.receivers
  const { body: shop } = await desk.call("POST", "/api/v1/webhooks", {
    name: "Shop",
    url: one!.url,
    secret: one!.secret
  })
  const { body: crm } = await desk.call("POST", "/api/v1/webhooks", {
    name: "Customer relations",
    url: two!.url,
    secret: two!.secret,
    events: ["NOTIFICATION_FAILED", "NOTIFICATION_OPENED"]
  })
  two!.control.set({ do: "refuse", status: 503 })
  const done = await desk.send({
    to: { all: true },
    content: {
      title: "Autumn sale begins today",
      body: "20 % off everything until Sunday.",
      url: "https://shop.example.com/sale"
    },
    channels: ["push"]
  })
  await desk.send({
    to: { tags_any: ["news"] },
    content: { title: "This week's news", body: "Three new stories for you." }
  })
  const { body: devices } = await desk.call("GET", "/api/v1/devices?limit=100")
  for (const [i, { id: device_id }] of devices.data.entries()) {
    const reports = ["delivered", ...(i % 3 === 0 ? ["opened"] : []), ...(i % 9 === 0 ? ["clicked"] : [])]
    for (const type of reports) await desk.call("POST", "/api/v1/events", { type, notification_id: done, device_id })
  }
  // One that fails for want of a credential, and can be sent again.
  const mail = await desk.call("DELETE", "/api/v1/credentials/smtp")
  if (mail.status !== 200) throw new Error(`The credential is still there: ${mail.status}`)
  await desk.call("POST", "/api/v1/contacts", { external_id: "ada", email: "ada@shop.example.com" })
  await desk.send({
    to: { user_ids: ["ada"] },
    channels: ["email"],
    content: { title: "Your invoice", subject: "Your invoice", body: "Thank you for your order." }
  })
  await desk.call("PUT", "/api/v1/credentials/smtp", desk.system.fleet.description.credentials.smtp)
  await desk.call("POST", "/api/v1/notifications", {
    to: { all: true },
    content: { title: "Good morning", body: "Your day at a glance." },
    send_at: new Date(Date.now() + 86_400_000).toISOString()
  })
  return { done, shop: shop.id, crm: crm.id }
}

const PEOPLE = ["ada", "grace", "alan", "edsger", "barbara", "donald", "frances", "niklaus", "hedy", "linus"]

/** People behind the devices, one of whom has two, an address, and a history. */
const furnishAudience = async (desk: Desk) => {
  const devices: ReadonlyArray<{ readonly user_id: string }> = (await desk.call("GET", "/api/v1/devices?limit=10")).body
    .data
  const ids: Array<string> = []
  for (const [i, name] of PEOPLE.entries()) {
    const { body } = await desk.call("POST", "/api/v1/contacts", {
      external_id: devices[i]!.user_id,
      email: `${name}@example.com`,
      locale: ["en-GB", "de-AT", "fr"][i % 3],
      timezone: ["Europe/London", "Europe/Vienna", "Europe/Paris"][i % 3],
      tags: ["news", ...(i % 3 === 0 ? ["vip"] : []), ...(i % 4 === 0 ? ["beta", "spring-2026"] : [])],
      attributes: {
        name: name.charAt(0).toUpperCase() + name.slice(1),
        plan: i % 2 === 0 ? "pro" : "free",
        orders: 3 * i + 2
      }
    })
    ids.push(body.id)
  }
  const token = "c3".repeat(32)
  await desk.call(
    "POST",
    "/api/v1/devices/import",
    `${JSON.stringify({ platform: "ios", token, user_id: devices[0]!.user_id, tags: ["news"], timezone: "Europe/London" })}\n`
  )
  const content = {
    title: "Your order is on its way",
    body: "It arrives tomorrow.",
    subject: "Your order",
    html: "<p>Soon</p>"
  }
  await desk.send({ to: { user_ids: [devices[0]!.user_id] }, content })
  const { body: inactive } = await desk.call("GET", "/api/v1/devices?status=invalid&limit=1")
  const silent = {
    tags_any: ["news"],
    tags_none: ["muted"],
    attributes: [
      { name: "plan", op: "in", value: ["pro", "team"] },
      { name: "orders", op: "greater_or_equal", value: 3 }
    ],
    last_seen: { within_days: 90 },
    engagement: [{ type: "clicked", within_days: 30, not: true }]
  }
  const { body: segment } = await desk.call("POST", "/api/v1/segments", {
    name: "Pro customers who fell silent",
    filter: silent
  })
  for (const [name, filter] of [
    ["Readers of the news", { tags_any: ["news"] }],
    ["Beta on iOS", { tags_all: ["beta"], platforms: ["ios"] }],
    ["Vienna and Berlin", { timezones: ["Europe/Vienna", "Europe/Berlin"] }]
  ] as const) {
    await desk.call("POST", "/api/v1/segments", { name, filter })
  }
  return { segment: segment.id as string, person: ids[0]!, dead: inactive.data[0].id as string }
}

/** A workflow whose steps have numbers, and one person's way through it. */
const furnishWorkflow = async (desk: Desk) => {
  const { body } = await desk.call("POST", "/api/v1/workflows", {
    name: "Orders",
    trigger: { type: "event", event: "ordered" },
    steps: [
      {
        key: "thanks",
        name: "Say thank you",
        type: "SEND",
        channels: ["inbox"],
        content: { title: "Thank you, {{ data.name }}" }
      },
      {
        key: "known",
        name: "Only customers whom we know",
        type: "FILTER",
        conditions: { attributes: [{ name: "plan", op: "in", value: ["pro", "team"] }] }
      },
      {
        key: "large",
        name: "A large order?",
        type: "BRANCH",
        branches: [
          {
            conditions: { data: [{ name: "total", op: "greater", value: 100 }] },
            steps: [
              {
                key: "gift",
                name: "Offer a gift",
                type: "SEND",
                channels: ["inbox"],
                content: { title: "Choose a gift" }
              }
            ]
          }
        ],
        else: [{ key: "day", name: "Wait a day", type: "DELAY", seconds: 86_400 }]
      }
    ]
  })
  // Versions before the one that people enter.
  const { body: now } = await desk.call("GET", `/api/v1/workflows/${body.id}`)
  const [thanks, known, large] = now.steps
  await desk.call("PATCH", `/api/v1/workflows/${body.id}`, {
    trigger: { type: "event", event: "order_paid" },
    steps: [
      thanks,
      { ...large, else: [{ ...large.else[0], name: "Wait two days", seconds: 172_800 }] },
      {
        key: "stars",
        name: "Ask for a review",
        type: "SEND",
        channels: ["email"],
        content: { subject: "How was it?", html: "<p>Tell us how you liked it.</p>" }
      }
    ]
  })
  await desk.call("PATCH", `/api/v1/workflows/${body.id}`, { trigger: now.trigger, steps: [thanks, known, large] })
  for (let i = 0; i < 40; i++) {
    const external_id = `customer-${i}`
    await desk.call("POST", "/api/v1/contacts", { external_id, attributes: i % 4 === 0 ? {} : { plan: "pro" } })
  }
  await desk.call("POST", `/api/v1/workflows/${body.id}/activate`)
  for (let i = 0; i < 40; i++) {
    const event = { event: "ordered", user_id: `customer-${i}`, data: { total: i * 6, name: `Customer ${i}` } }
    await desk.call("POST", "/api/v1/events/custom", event)
  }
  const ended = () => desk.call("GET", `/api/v1/executions?workflow_id=${body.id}&limit=50`)
  const all = await until(
    "The runs",
    ended,
    (answer) =>
      answer.body.data.length === 40 && answer.body.data.every(({ status }: { status: string }) => status !== "running")
  )
  const run = all.body.data.find(({ user_id }: { user_id: string }) => user_id === "customer-4")
  return { workflow: body.id as string, run: run.id as string }
}

/** A letter in two languages, with versions by a person and by a key, and one for orders. */
const furnishTemplates = async (desk: Desk, token: string) => {
  const html = (title: string, greeting: string, words: string, button: string) => `<h1>${title}</h1>
<p>${greeting}</p>
{% if contact.attributes.plan == "pro" %}
  <p class="offer">${words}</p>
{% endif %}
<p>
  <a href="https://shop.example.com/{{ code | downcase }}">${button}</a>
</p>
`
  const english = html(
    "Autumn sale",
    "Dear {{ contact.attributes.name | default: 'friend' }},",
    "20 % off everything until {{ until | date: '%A' }}.",
    "To the shop"
  )
  const { body } = await desk.call("POST", "/api/v1/templates", {
    name: "Autumn letter",
    content: {
      title: "Autumn sale, {{ contact.attributes.name | default: 'friend' }}",
      subject: "Autumn sale begins",
      html: english.replace("20 %", "10 %").replace("To the shop", "Shop now")
    }
  })
  const asOwner = (input: object) =>
    desk.ask(
      token,
      "mutation($id: ID!, $input: TemplateChanges!) { updateTemplate(id: $id, input: $input) { version } }",
      { id: body.id, input }
    )
  const content = {
    title: "Autumn sale, {{ contact.attributes.name | default: 'friend' }}",
    subject: "Autumn sale begins today",
    html: english
  }
  await asOwner({ content: { ...content, html: english.replace("20 %", "10 %") } })
  await asOwner({
    locales: {
      de: {
        subject: "Der Herbstverkauf beginnt heute",
        html: html(
          "Herbstverkauf",
          "Liebe/r {{ contact.attributes.name | default: 'Freund/in' }},",
          "20 % auf alles bis {{ until | date: '%d.%m.' }}",
          "Zum Laden"
        )
      }
    }
  })
  await asOwner({ content })
  await desk.call("POST", "/api/v1/templates", {
    name: "Order sent",
    content: { title: "It is on its way", body: "{{ order }} arrives on {{ day }}." }
  })
  const mia = {
    external_id: "mia",
    email: "mia@example.com",
    locale: "de-AT",
    attributes: { name: "Mia", plan: "pro" }
  }
  await desk.call("POST", "/api/v1/contacts", mia)
  const example = { person: "mia", variables: '{"until": "2026-11-29", "code": "AUTUMN"}', language: "" }
  return { template: body.id as string, example }
}

const file = (name: string, lines: ReadonlyArray<string>) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\n"))
})

const editStep = async (page: Page, step: string) => {
  const button = page.getByRole("button", { name: "Edit the steps" })
  // What the pictures before have left open is still open.
  if (await button.isVisible()) await button.click()
  await page.getByRole("button", { name: `Edit… ${step}`, exact: true }).click()
  await page.getByRole("dialog").waitFor()
}

/** What is done on a page before its picture is taken. */
const before: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  template: async (page) => {
    await page.getByText("Herbstverkauf").first().waitFor()
    // What was never in sight is only estimated by the editor, and not painted by a frame.
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    await page.waitForTimeout(800)
    await page.locator(".source").last().scrollIntoViewIfNeeded()
    await page.waitForTimeout(400)
    await page.evaluate("scrollTo(0, 0)")
  },
  "template-fault": async (page) => {
    await page.getByRole("textbox", { name: "Subject of the e-mail" }).click()
    await page.keyboard.press("End")
    await page.keyboard.insertText(" {{ contact.attributes.name | shout }}")
    await page.getByRole("button", { name: /^Line 1/ }).waitFor()
    await page.evaluate("scrollTo(0, 0)")
  },
  "workflow-edit": (page) => page.getByRole("button", { name: "Edit the steps" }).click(),
  "workflow-send": (page) => editStep(page, "thanks"),
  "workflow-delay": async (page) => {
    await page.keyboard.press("Escape")
    await editStep(page, "day")
    await page.getByRole("radio", { name: "Until the next allowed hours" }).click({ force: true })
  },
  "workflow-filter": async (page) => {
    await page.keyboard.press("Escape")
    await editStep(page, "known")
    const add = page.getByRole("combobox", { name: "Add a condition", exact: true })
    await add.selectOption("What the event, or a step, brought")
    const about = page.getByRole("group", { name: "What the event, or a step, brought" })
    await about.getByLabel("Name").fill("order.total")
    await about.getByLabel("Value").fill("100")
    await add.selectOption("What became of a message")
  },
  "workflow-times": async (page) => {
    await page.keyboard.press("Escape")
    await page.getByRole("radio", { name: "Times", exact: true }).click({ force: true })
    await page.locator(".times").waitFor()
    await page.evaluate("scrollTo(0, 0)")
  },
  "workflow-versions": async (page) => {
    await page.getByRole("combobox", { name: "with", exact: true }).selectOption("2")
    await page.getByRole("combobox", { name: "Compare", exact: true }).selectOption("1")
    await page.getByRole("listitem", { name: "stars: added" }).waitFor()
  },
  imports: async (page) => {
    const people = Array.from({ length: 900 }, (_, i) => `customer-${i},c${i}@example.com,${i % 7}`)
    const box = page.getByLabel("CSV, or JSON lines")
    await box.setInputFiles(file("customers.csv", ["id,email,orders", ...people, "customer-x,nonsense,1"]))
    await page.getByRole("button", { name: "Import customers.csv" }).click()
    await page.getByRole("button", { name: "Download what was refused, by line" }).waitFor()
    await page.getByRole("button", { name: "Export them" }).click()
    await page.getByRole("button", { name: /^Download contacts-/ }).waitFor()
    const more = ["user-901,mia@example.com,news,de-AT,pro,1010", "user-902,leo@example.com,news;vip,fr,free,75001"]
    await box.setInputFiles(
      file("newsletter.csv", ["external_id,email,labels,language,plan,zip", ...more, ",nobody@example.com,,,free,"])
    )
    await page.getByRole("region", { name: "Columns" }).waitFor()
    await page.evaluate("scrollTo(0, 0)")
  }
}

const folder = process.env["PICTURES"]
/** Names of pages, to take the pictures of these alone. */
const only = process.env["PICTURES_OF"]?.split(",")

it.runIf(folder !== undefined)("every page can be shown", async () => {
  await mkdir(folder!, { recursive: true })
  const complaints: Array<string> = []
  // So that a receiver which fails is disabled before the pictures are taken.
  const desk = await openDesk(2_000, 40, { WEBHOOK_RETRY_DELAYS: "50ms,50ms,50ms,50ms,50ms" })
  try {
    const { crm, done, shop } = await furnish(desk)
    const { dead, person, segment } = await furnishAudience(desk)
    const { run, workflow } = await furnishWorkflow(desk)
    const token = await desk.signIn(OWNER)
    const { example, template } = await furnishTemplates(desk, token)
    const app = `/apps/${desk.appId}`
    const pages: Readonly<Record<string, string>> = {
      home: app,
      notifications: `${app}/notifications`,
      notification: `${app}/notifications/${done}`,
      compose: `${app}/compose`,
      webhooks: `${app}/webhooks`,
      webhook: `${app}/webhooks/${shop}`,
      "webhook-disabled": `${app}/webhooks/${crm}`,
      contacts: `${app}/contacts`,
      contact: `${app}/contacts/${person}`,
      devices: `${app}/devices`,
      device: `${app}/devices/${dead}`,
      segments: `${app}/segments`,
      segment: `${app}/segments/${segment}`,
      templates: `${app}/templates`,
      template: `${app}/templates/${template}?language=de`,
      "template-fault": `${app}/templates/${template}`,
      "template-versions": `${app}/templates/${template}?view=versions`,
      workflows: `${app}/workflows`,
      workflow: `${app}/workflows/${workflow}`,
      run: `${app}/workflows/${workflow}/runs/${run}`,
      "workflow-versions": `${app}/workflows/${workflow}/versions`,
      "workflow-edit": `${app}/workflows/${workflow}`,
      "workflow-send": `${app}/workflows/${workflow}`,
      "workflow-delay": `${app}/workflows/${workflow}`,
      "workflow-filter": `${app}/workflows/${workflow}`,
      "workflow-times": `${app}/workflows/${workflow}`,
      imports: `${app}/imports`,
      "contact-edit": `${app}/contacts/${person}?edit=yes`,
      "dead-letters": `${app}/dead-letters`,
      settings: `${app}/settings`,
      keys: `${app}/settings/keys`,
      credentials: `${app}/settings/credentials`,
      team: `${app}/settings/team`,
      audit: `${app}/settings/audit`,
      "organization-log": `${app}/settings/organization-log`,
      account: "/account"
    }
    const draft = {
      audience: "described",
      tagsAny: "news",
      ways: ["PUSH", "EMAIL"],
      title: "Autumn sale",
      body: "20 % off everything until Sunday."
    }
    for (const [kind, options] of Object.entries({
      light: { colorScheme: "light" },
      dark: { colorScheme: "dark" },
      phone: { colorScheme: "light", width: 390, height: 844 }
    } as const)) {
      const context = await desk.open({ ...options, token })
      const page = await context.newPage()
      page.on("console", (message) => {
        // A fault in a template is answered 400.
        if (page.url().includes("/templates/") && message.text().includes("status of 400")) return
        if (message.type() === "error") complaints.push(`${kind}: ${message.text()}`)
      })
      page.on("pageerror", (error) => complaints.push(`${kind}: ${error.message}`))
      await page.addInitScript(
        (kept) => {
          // Frames of mail have no storage.
          if (origin !== "null") Object.entries(kept).forEach(([key, text]) => sessionStorage.setItem(key, text))
        },
        {
          [`compose ${desk.appId}`]: JSON.stringify(draft),
          [`template example ${template}`]: JSON.stringify(example)
        }
      )
      for (const [name, path] of Object.entries(pages)) {
        if (only?.includes(name) === false) continue
        await page.goto(path)
        await page.locator("h1").waitFor()
        await expect.poll(() => page.locator(".loading").count()).toBe(0)
        await page.waitForTimeout(name === "compose" ? 1_200 : 500)
        if (name === "notification" || name === "webhook") {
          await page.locator(".expand").first().click()
          await expect.poll(() => page.locator(".loading").count()).toBe(0)
          await page.evaluate("scrollTo(0, 0)")
        }
        await before[name]?.(page)
        // What stands above the page is as large as the window.
        const fullPage = !(await page.locator("dialog[open]").isVisible())
        await page.screenshot({ path: join(folder!, `${name}-${kind}.png`), fullPage })
      }
      await context.close()
      const stranger = await desk.open(options)
      const door = await stranger.newPage()
      await door.goto("/")
      await door.getByLabel("E-mail address").waitFor()
      await door.screenshot({ path: join(folder!, `sign-in-${kind}.png`) })
      await stranger.close()
    }
  } finally {
    await desk.close()
  }
  expect(complaints).toEqual([])
})
