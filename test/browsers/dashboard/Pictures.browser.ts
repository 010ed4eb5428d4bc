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

const file = (name: string, lines: ReadonlyArray<string>) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\n"))
})

/** What is done on a page before its picture is taken. */
const before: Readonly<Record<string, (page: Page) => Promise<void>>> = {
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
      workflows: `${app}/workflows`,
      workflow: `${app}/workflows/${workflow}`,
      run: `${app}/workflows/${workflow}/runs/${run}`,
      imports: `${app}/imports`,
      "contact-edit": `${app}/contacts/${person}?edit=yes`,
      "dead-letters": `${app}/dead-letters`,
      settings: `${app}/settings`,
      keys: `${app}/settings/keys`,
      credentials: `${app}/settings/credentials`,
      team: `${app}/settings/team`,
      audit: `${app}/settings/audit`,
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
        if (message.type() === "error") complaints.push(`${kind}: ${message.text()}`)
      })
      page.on("pageerror", (error) => complaints.push(`${kind}: ${error.message}`))
      await page.addInitScript(
        ([key, text]) => sessionStorage.setItem(key!, text!),
        [`compose ${desk.appId}`, JSON.stringify(draft)]
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
        await page.screenshot({ path: join(folder!, `${name}-${kind}.png`), fullPage: true })
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
