import { readFileSync } from "node:fs"
import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"
import type { Desk, Opening } from "./Desk.ts"

export interface Visit extends Opening {
  /** Further statuses that the test itself answers with. */
  readonly statuses?: ReadonlyArray<number>
}

/** Opens a page of the dashboard, and fails with whatever the browser refuses or a script throws. */
export const visitIn = async <A>(
  desk: Desk,
  path: string,
  { statuses = [], ...options }: Visit,
  use: (page: Page) => Promise<A>
): Promise<A> => {
  const context = await desk.open(options)
  const page = await context.newPage()
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(error.message))
  page.on("console", (message) => {
    // The browser tells of every status over 399, wanted or not.
    const status = Number(/status of (\d+)/.exec(message.text())?.[1])
    if (message.type() !== "error" || [400, 401, 404, 409, ...statuses].includes(status)) return
    if (message.text().includes("ERR_")) return
    // What mail may not do, the browser says of the frame that shows it.
    if (`${message.text()} ${message.location().url}`.includes("/mail-frame")) return
    faults.push(message.text())
  })
  try {
    await page.goto(path)
    const answer = await use(page)
    expect(faults).toEqual([])
    return answer
  } catch (error) {
    const textOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .innerText({ timeout: 1_000 })
        .catch(() => "")
    // A dialog stands last in the page, and is what one waits for.
    const shown = [await textOf("dialog[open]"), (await textOf("body")).slice(0, 1_000)].filter((text) => text !== "")
    const told = [...shown, ...faults].join("\n")
    throw new Error(`At ${page.url()}, which shows:\n${told}`, { cause: error })
  } finally {
    await context.close()
  }
}

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8")

/** What axe finds wrong with the page as it shows now. */
export const axeFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(AXE)
  return (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))"
  )) as ReadonlyArray<string>
}

/** Lets a mutation be done, and holds its answer until the function is called. */
export const holdAnswer = async (page: Page, mutation: string): Promise<() => void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route("**/api/graphql", async (route) => {
    if (!route.request().postData()!.includes(`mutation ${mutation}(`)) return route.fallback()
    const response = await route.fetch()
    await promise
    await route.fulfill({ response })
  })
  return resolve
}

/** Saves a field by a button and a mutation, and types into it again before the answer is there. */
export const typeWhileSaving = async (
  field: Locator,
  { button, mutation, now, later }: Readonly<Record<"button" | "mutation" | "now" | "later", string>>
): Promise<void> => {
  const page = field.page()
  const answer = await holdAnswer(page, mutation)
  await field.fill(now)
  const asked = page.waitForRequest((request) => request.postData()?.includes(`mutation ${mutation}(`) === true)
  await page.getByRole("button", { name: button, exact: true }).click()
  await asked
  await field.fill(later)
  answer()
}

/** Everything that the page shows at first has come. */
export const loaded = (page: Page) => expect.poll(() => page.locator(".loading").count()).toBe(0)

export const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name })
