import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Desk } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { heading } from "./visits.ts"

/* What one person leaves in a browser, the next one does not find; nor does one of them act as the other. */

const NEXT = "next@example.com"

let desk: Desk

beforeAll(async () => {
  desk = await openDesk(1, 40, {}, { keepsPages: true })
  await desk.signIn(NEXT)
  await desk.enrol(NEXT, "admin")
})
afterAll(() => desk?.close())

const signedIn = (page: Page, email: string) => page.locator(".account-name", { hasText: email }).waitFor()
const compose = () => `/apps/${desk.appId}/compose`
const titleOf = (page: Page) => page.getByLabel("Title", { exact: true })

/** A page on which the owner is writing. */
const whileWriting = async (use: (page: Page) => Promise<void>): Promise<void> => {
  const context = await desk.open({ token: await desk.signIn(OWNER) })
  try {
    const page = await context.newPage()
    await page.goto(compose())
    await titleOf(page).fill("We buy our rival")
    await use(page)
  } finally {
    await context.close()
  }
}

const signOut = async (page: Page): Promise<void> => {
  await page.locator(".account-menu").getByRole("button").first().click()
  await page.getByRole("button", { name: "Sign out" }).click()
  await heading(page, "Sign in to Heliograph").waitFor()
}

/** Signs in on the sign-in page that is shown. */
const enter = async (page: Page, email: string): Promise<void> => {
  const address = page.getByLabel("E-mail address")
  if (await address.isEditable()) await address.fill(email)
  await page.getByRole("button", { name: "I have a code already" }).click()
  await page.getByLabel("Code", { exact: true }).fill(await desk.loginCode(email))
}

it("leaves no draft in a tab that was signed out of", () =>
  whileWriting(async (page) => {
    await signOut(page)
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("rival")
    await enter(page, NEXT)
    await signedIn(page, NEXT)
    await page.goto(compose())
    await signedIn(page, NEXT)
    expect(await titleOf(page).inputValue()).toBe("")
  }))

it("leaves nothing in the other tabs of whoever has signed out in one of them", () =>
  whileWriting(async (page) => {
    const other = await page.context().newPage()
    await other.goto(compose())
    await signedIn(other, OWNER)
    await signOut(other)
    await heading(page, "Sign in to Heliograph").waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("rival")
  }))

it("keeps what somebody else has begun, whose session was another's in between", () =>
  whileWriting(async (page) => {
    const context = page.context()
    await context.addCookies([{ name: "service_session", value: await desk.signIn(NEXT), url: desk.system.url }])
    const other = await context.newPage()
    await other.goto("/")
    await signedIn(other, NEXT)
    await signOut(other)
    expect(await titleOf(page).inputValue()).toBe("We buy our rival")
  }))

it("gives a draft back to whoever wrote it when their session has ended, and to nobody else", () =>
  whileWriting(async (page) => {
    await page.context().clearCookies()
    await page.goto(compose())
    await heading(page, "Sign in to Heliograph").waitFor()
    await enter(page, OWNER)
    await expect.poll(() => titleOf(page).inputValue()).toBe("We buy our rival")
    await page.context().clearCookies()
    await page.goto(compose())
    await heading(page, "Sign in to Heliograph").waitFor()
    await enter(page, NEXT)
    await signedIn(page, NEXT)
    expect(await titleOf(page).inputValue()).toBe("")
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("rival")
  }))

it("shows nothing of a page to whoever goes back to it after its session", () =>
  whileWriting(async (page) => {
    await signOut(page)
    await page.evaluate(() => history.back())
    await page.waitForURL(/sign-in\?return_to/)
    await heading(page, "Sign in to Heliograph").waitFor()
    expect(await page.locator("body").innerText()).not.toContain("Account")
  }))

it("goes on where a text is longer than a tab keeps", () =>
  whileWriting(async (page) => {
    const body = page.getByLabel("Body", { exact: true })
    await body.evaluate((area) => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")!
      set!.call(area, "x".repeat(6_000_000))
      area.dispatchEvent(new Event("input", { bubbles: true }))
    })
    expect(await titleOf(page).inputValue()).toBe("We buy our rival")
    await body.fill("It is signed")
    await page.reload()
    expect(await titleOf(page).inputValue()).toBe("We buy our rival")
    expect(await body.inputValue()).toBe("It is signed")
  }))

it("has nothing done as somebody who has signed in on another page of the same browser", () =>
  whileWriting(async (page) => {
    const context = page.context()
    await page.getByRole("radio", { name: "Everyone" }).check()
    await context.addCookies([{ name: "service_session", value: await desk.signIn(NEXT), url: desk.system.url }])
    // Its preview is asked for.
    await page.getByLabel("Body", { exact: true }).fill("It is signed")
    const dialog = page.getByRole("dialog", { name: "Your session has ended" })
    await dialog.waitFor()
    const other = await context.newPage()
    await other.goto("/")
    await signedIn(other, NEXT)
    // It goes on once whoever wrote it has signed in again; then the other page is the one that waits.
    await enter(page, OWNER)
    await dialog.waitFor({ state: "detached" })
    expect(await titleOf(page).inputValue()).toBe("We buy our rival")
    // Not by the mouse: the page asks by itself as well, and may wait behind its dialog already.
    await other.getByRole("link", { name: "Devices" }).dispatchEvent("click")
    await other.getByRole("dialog", { name: "Your session has ended" }).waitFor()
  }))
