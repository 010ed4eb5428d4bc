import { Effect, Exit, Scope } from "effect"
import { Client } from "pg"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { GitHub, Google } from "../../layers/oauth/StandIns.ts"
import { newAccounts, reachable, startGitHub, startGoogle } from "../../layers/oauth/StandIns.ts"
import { lastingPort } from "../../Ports.ts"
import type { Desk, Opening } from "./Desk.ts"
import { openDesk, OWNER } from "./Desk.ts"
import { heading, visitIn } from "./visits.ts"

/*
 * Sign-ins by other services, which are asked as they are in the field and hold the service to what they say of
 * themselves, and invitations, from the mail on.
 */

let desk: Desk
let google: Google
let github: GitHub

beforeAll(async () => {
  google = await startGoogle()
  github = await startGitHub()
  desk = await openDesk(1, 40, ({ OUTBOUND_CA_FILE }) => ({
    ...google.settings,
    ...github.settings,
    ...reachable(OUTBOUND_CA_FILE, google.caFile, github.caFile)
  }))
})
afterAll(async () => {
  await desk?.close()
  await Promise.all([google?.close(), github?.close()])
})
beforeEach(() => {
  google.misbehave({})
  github.misbehave({})
})

const { newEmail, withGitHub, withGoogle } = newAccounts()

const visit = <A>(path: string, options: Opening, use: (page: Page) => Promise<A>) =>
  visitIn(desk, path, { isTrusting: true, ...options }, use)
const CODE = /^ {4}(\d{6})$/m
const LINK = /(\/invitations\/\S+)/

const goOn = (page: Page, provider: "Google" | "GitHub", as: string) =>
  page
    .getByRole("link", { name: `Go on with ${provider}` })
    .click()
    .then(() => page.getByRole("link", { name: as }).click())

const outcome = (page: Page, title: string) => page.getByRole("status").filter({ hasText: title }).waitFor()

const boundOf = async (token: string): Promise<ReadonlyArray<string>> =>
  (await desk.ask(token, "{ me { externalSignIns { provider } } }")).me.externalSignIns.map(
    ({ provider }: { provider: string }) => provider
  )

describe("with Google", () => {
  it("makes an account, leads back to where one was going, and knows one again", async () => {
    const ada = withGoogle()
    google.offer(withGoogle(), ada)
    await visit("/account", {}, async (page) => {
      await goOn(page, "Google", `Go on as ${ada.email}`)
      await heading(page, "Account and security").waitFor()
      await page.getByText(ada.email, { exact: true }).first().waitFor()
      const [session] = (await page.context().cookies()).filter(({ name }) => name === "service_session")
      expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax" })
      expect(google.asked).toContain("/token")
    })
    await visit("/sign-in", {}, async (page) => {
      await goOn(page, "Google", `Go on as ${ada.email}`)
      await heading(page, "My first application").waitFor()
    })
  })

  it("binds itself to the account with its address, and is removed again", async () => {
    const email = newEmail()
    const token = await desk.signIn(email)
    google.offer(withGoogle(email))
    await visit("/sign-in?return_to=/account", {}, async (page) => {
      await goOn(page, "Google", `Go on as ${email}`)
      await heading(page, "Account and security").waitFor()
      expect(await boundOf(token)).toEqual(["GOOGLE"])
      await page.getByRole("button", { name: "Remove Google" }).click()
      await page.getByRole("link", { name: "Add Google" }).waitFor()
      expect(await boundOf(token)).toEqual([])
    })
  })

  it("signs nobody in whose address it has not verified, and says what helps", async () => {
    const email = newEmail()
    await desk.signIn(email)
    google.offer({ ...withGoogle(email), email_verified: false })
    await visit("/sign-in", {}, async (page) => {
      await goOn(page, "Google", `Go on as ${email}`)
      await outcome(page, "The address is not confirmed. Google has no address of yours that it knows to be yours.")
      await expect.poll(() => page.getByLabel("E-mail address").count()).toBe(1)
    })
  })

  it("is cancelled, refused or away in words, and where one was going is kept", async () => {
    const ada = withGoogle()
    google.offer(ada)
    await visit("/sign-in?return_to=/account", {}, async (page) => {
      await goOn(page, "Google", "Cancel")
      await outcome(page, "The sign-in was cancelled. Google was told not to sign you in.")
      google.misbehave({ claims: { nonce: "another" } })
      await goOn(page, "Google", `Go on as ${ada.email}`)
      await outcome(page, "The sign-in did not succeed. The answer of Google does not prove who you are.")
      google.misbehave({ answers: { path: "/token", status: 503, body: "{}" } })
      await goOn(page, "Google", `Go on as ${ada.email}`)
      await outcome(page, "There was no answer. Google does not answer this service at the moment.")
      google.misbehave({})
      await goOn(page, "Google", `Go on as ${ada.email}`)
      await heading(page, "Account and security").waitFor()
    })
  })

  it("ends nowhere but in the browser that began it", async () => {
    const mallory = withGoogle()
    google.offer(mallory)
    await visit("/sign-in", {}, async (page) => {
      await page.getByRole("link", { name: "Go on with Google" }).click()
      const back = await page.getByRole("link", { name: `Go on as ${mallory.email}` }).getAttribute("href")
      await visit(back!, {}, async (victim) => {
        await outcome(victim, "That took too long. It was begun more than ten minutes ago, in another browser")
        expect((await victim.context().cookies()).map(({ name }) => name)).not.toContain("service_session")
      })
    })
  })
})

describe("with GitHub", () => {
  it("sends for the one code by itself, and needs none from then on", async () => {
    const email = newEmail()
    const grace = withGitHub(email)
    github.offer(grace)
    await visit("/sign-in?return_to=/account", {}, async (page) => {
      await goOn(page, "GitHub", `Go on as ${grace.login}`)
      await outcome(page, "One code is needed. GitHub said who you are.")
      await page.getByText(`A code of six digits is on its way to ${email}`).waitFor()
      const code = await desk.mailed(email, CODE)
      // Whoever reloads meanwhile gets no second mail, and is asked for the same code.
      await page.reload()
      await page.getByLabel("Code", { exact: true }).fill(code)
      // Its first sign-in makes an application, whose keys are shown this once.
      await heading(page, "Welcome to Heliograph").waitFor()
    })
    await visit("/sign-in?return_to=/account", {}, async (page) => {
      await goOn(page, "GitHub", `Go on as ${grace.login}`)
      await heading(page, "Account and security").waitFor()
      await page.getByRole("button", { name: "Remove GitHub" }).waitFor()
    })
  })

  it("needs an address that GitHub has verified, and may be left", async () => {
    const email = newEmail()
    const linus = { ...withGitHub(), emails: [{ email, primary: true, verified: false }] }
    github.offer(linus)
    await visit("/sign-in", {}, async (page) => {
      await goOn(page, "GitHub", `Go on as ${linus.login}`)
      await outcome(page, "The address is not confirmed. GitHub has no address of yours")
      await goOn(page, "GitHub", "Cancel")
      await outcome(page, "The sign-in was cancelled. GitHub was told not to sign you in.")
    })
  })
})

describe("adding a sign-in to an account", () => {
  it("takes Google at its word, for the account's own address alone", async () => {
    const [email, other] = [newEmail(), newEmail()]
    const token = await desk.signIn(email)
    google.offer(withGoogle(email), withGoogle(other))
    await visit("/account", { token }, async (page) => {
      const add = page.getByRole("link", { name: "Add Google" })
      await add.click()
      await page.getByRole("link", { name: `Go on as ${other}` }).click()
      await outcome(
        page,
        "The address is another. Your account with Google has another address than your account here."
      )
      await add.click()
      await page.getByRole("link", { name: `Go on as ${email}` }).click()
      await outcome(page, "The sign-in was added. From now on, your account with Google signs in here.")
      await page.getByRole("button", { name: "Remove Google" }).waitFor()
    })
    expect(await boundOf(token)).toEqual(["GOOGLE"])
  })

  it("asks for a code with GitHub, and says when it is wrong", async () => {
    const email = newEmail()
    const token = await desk.signIn(email)
    github.offer(withGitHub(email))
    await visit("/account", { token }, async (page) => {
      await page.getByRole("link", { name: "Add GitHub" }).click()
      await page.getByRole("link", { name: /^Go on as octo-/ }).click()
      await page.getByRole("button", { name: "Send me the code" }).click()
      const field = page.getByLabel(`Code that went to ${email}`)
      await field.waitFor()
      const code = await desk.mailed(email, CODE)
      await field.fill(code === "000000" ? "111111" : "000000")
      await page.getByRole("button", { name: "Add GitHub" }).click()
      await page.getByRole("alert").waitFor()
      expect(await boundOf(token)).toEqual([])
      await field.fill(code)
      await page.getByRole("button", { name: "Add GitHub" }).click()
      await outcome(page, "The sign-in was added. From now on, your account with GitHub signs in here.")
    })
    expect(await boundOf(token)).toEqual(["GITHUB"])
  })

  it("says that it is another account's already", async () => {
    const [taken, email] = [withGoogle(), newEmail()]
    google.offer(taken)
    await visit("/sign-in", {}, async (page) => {
      await goOn(page, "Google", `Go on as ${taken.email}`)
      await heading(page, "My first application").waitFor()
    })
    const token = await desk.signIn(email)
    google.offer({ ...taken, email })
    await visit("/account", { token }, async (page) => {
      await page.getByRole("link", { name: "Add Google" }).click()
      await page.getByRole("link", { name: `Go on as ${email}` }).click()
      await outcome(page, "It signs in to another account. This account with Google signs in to another account here.")
    })
    expect(await boundOf(token)).toEqual([])
  })

  it("is told apart from a session that has ended meanwhile", async () => {
    const email = newEmail()
    const token = await desk.signIn(email)
    google.offer(withGoogle(email))
    await visit("/account", { token }, async (page) => {
      await page.getByRole("link", { name: "Add Google" }).click()
      await page.getByRole("link", { name: `Go on as ${email}` }).waitFor()
      await desk.ask(token, "mutation { signOutEverywhere }")
      await page.getByRole("link", { name: `Go on as ${email}` }).click()
      await heading(page, "Sign in to Heliograph").waitFor()
    })
    expect(await boundOf(await desk.signIn(email))).toEqual([])
  })
})

it("warns where accounts are made by invitation alone, and says so to whoever has none", async () => {
  const scope = Effect.runSync(Scope.make())
  try {
    const url = await Effect.runPromise(
      Scope.provide(
        Effect.gen(function* () {
          const port = String(yield* lastingPort)
          const url = `http://127.0.0.1:${port}`
          yield* desk.system.startEngine({ PORT: port, BASE_URL: url, REGISTRATION: "invite" })
          return url
        }),
        scope
      )
    )
    const stranger = withGoogle()
    google.offer(stranger)
    await visit(`${url}/sign-in`, {}, async (page) => {
      await page.getByText("New accounts are made by invitation alone.").first().waitFor()
      await goOn(page, "Google", `Go on as ${stranger.email}`)
      await outcome(page, "There is no account with this address. New accounts are made by invitation alone.")
    })
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
})

describe("an invitation", () => {
  const team = () => `/apps/${desk.appId}/settings/team`
  const organization = () => desk.ask(owner, "{ organizations { id name } }").then((data) => data.organizations[0].name)
  let owner: string
  beforeAll(async () => {
    owner = await desk.signIn(OWNER)
  })

  /** Its address, as the mail has it. */
  const invited = async (email: string, role = "MEMBER"): Promise<string> => {
    await desk.ask(
      owner,
      "mutation($id: ID!, $email: String!, $role: Role!) { inviteMember(organizationId: $id, email: $email, role: $role) { id } }",
      { id: desk.organizationId, email, role }
    )
    return desk.mailed(email, LINK)
  }

  it("leads a new person from the mail into the organization, with a code", async () => {
    const email = newEmail()
    await visit(team(), { token: owner }, async (page) => {
      await page.getByLabel("Invite by e-mail").fill(email)
      await page.getByLabel("As", { exact: true }).selectOption("VIEWER")
      await page.getByRole("button", { name: "Invite" }).click()
      await page.getByText(email, { exact: true }).waitFor()
    })
    await visit(await desk.mailed(email, LINK), {}, async (page) => {
      await heading(page, `Join ${await organization()}`).waitFor()
      await page.getByText(`${OWNER} invited ${email} as viewer.`).waitFor()
      // The address is the invitation's, and no other.
      expect(await page.getByLabel("E-mail address").inputValue()).toBe(email)
      expect(await page.getByLabel("E-mail address").getAttribute("readonly")).not.toBeNull()
      await page.getByRole("button", { name: "Send me a code" }).click()
      await page.getByLabel("Code", { exact: true }).fill(await desk.mailed(email, CODE))
      // An application of their own was made, too: its keys are not lost.
      await page.getByText("An application of your own was made as well: its keys").click()
      await page.getByText(/^sk_/).waitFor()
      await page.getByRole("button", { name: /^Join / }).click()
      // Into the organization that they were invited to, not into their own.
      await page.getByRole("link", { name: "Notifications" }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/apps/${desk.appId}`)
    })
    await visit(team(), { token: owner }, async (page) => {
      const row = page.getByRole("row", { name: new RegExp(`^${email}`) })
      expect(await row.getByLabel(`Role of ${email}`).inputValue()).toBe("VIEWER")
    })
  })

  it("is accepted with one press by an existing person who is signed in, and once", async () => {
    const email = newEmail()
    const token = await desk.signIn(email)
    const link = await invited(email)
    await visit(link, { token }, async (page) => {
      await page.getByRole("button", { name: /^Join / }).click()
      await page.getByRole("link", { name: "Notifications" }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/apps/${desk.appId}`)
      await page.goto(link)
      await heading(page, "This invitation is not open").waitFor()
    })
  })

  it("to somebody else's address says whose it is, and leads to the other account", async () => {
    const [email, other] = [newEmail(), newEmail()]
    const token = await desk.signIn(other)
    await desk.signIn(email)
    await visit(await invited(email), { token }, async (page) => {
      await page.getByText(`You are signed in as ${other}. Sign in with ${email} to accept`).waitFor()
      expect(await page.getByRole("button", { name: /^Join / }).count()).toBe(0)
      await page.getByRole("link", { name: "change the account" }).click()
      await page.getByLabel("E-mail address").fill(email)
      await page.getByRole("button", { name: "I have a code already" }).click()
      await page.getByLabel("Code", { exact: true }).fill(await desk.loginCode(email))
      await page.getByRole("button", { name: /^Join / }).click()
      await page.getByRole("link", { name: "Notifications" }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/apps/${desk.appId}`)
    })
  })

  it("that was taken back, or is past its time, is not open, and the page says what to do", async () => {
    const [revoked, expired] = [newEmail(), newEmail()]
    const links = [await invited(revoked), await invited(expired)]
    await visit(team(), { token: owner }, async (page) => {
      await page.getByRole("button", { name: `Take back the invitation of ${revoked}` }).click()
      await expect.poll(() => page.getByText(revoked, { exact: true }).count()).toBe(0)
    })
    const database = new Client({ connectionString: desk.system.env["DATABASE_URL"]! })
    await database.connect()
    await database.query("UPDATE invitations SET expires_at = now() WHERE email = $1", [expired])
    await database.end()
    for (const link of links) {
      await visit(link, {}, async (page) => {
        await heading(page, "This invitation is not open").waitFor()
        await page.getByText("Ask whoever invited you for a new one.").waitFor()
      })
    }
  })
})

it("knows every application of an organization that has more than a page of them", async () => {
  const email = newEmail()
  const token = await desk.signIn(email)
  const [{ id }] = (await desk.ask(token, "{ organizations { id } }")).organizations
  const database = new Client({ connectionString: desk.system.env["DATABASE_URL"]! })
  await database.connect()
  const { rows } = await database.query(
    `INSERT INTO applications (id, organization_id, name, identity_secret)
     SELECT gen_random_uuid(), $1::uuid, 'Shop ' || i, '' FROM generate_series(1, 130) i RETURNING id, name`,
    [id]
  )
  await database.end()
  const last = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1)
  await visit(`/apps/${last.id}`, { token }, async (page) => {
    await heading(page, last.name).waitFor()
  })
})

it("lists a team of any size, page by page", async () => {
  const owner = await desk.signIn(OWNER)
  const database = new Client({ connectionString: desk.system.env["DATABASE_URL"]! })
  await database.connect()
  await database.query(
    `WITH made AS (INSERT INTO accounts (id, email) SELECT gen_random_uuid(), 'crowd-' || i || '@example.com'
       FROM generate_series(1, 130) i RETURNING id)
     INSERT INTO members (organization_id, account_id, role) SELECT $1::uuid, id, 'viewer' FROM made`,
    [desk.organizationId]
  )
  const { rows } = await database.query("SELECT count(*)::int AS count FROM members WHERE organization_id = $1", [
    desk.organizationId
  ])
  await database.end()
  await visit(`/apps/${desk.appId}/settings/team`, { token: owner }, async (page) => {
    const people = page.getByRole("region", { name: "Members" }).locator("tbody tr")
    await expect.poll(() => people.count()).toBe(100)
    await page.getByRole("link", { name: "More" }).click()
    await expect.poll(() => people.count()).toBe(rows[0].count - 100)
    await page.getByRole("link", { name: "First" }).click()
    await expect.poll(() => people.count()).toBe(100)
  })
})

describe("the organization's log", () => {
  it("tells an owner and a viewer who changed what, filtered by who, what and when, in pages", async () => {
    const [owner, email] = [await desk.signIn(OWNER), newEmail()]
    await desk.signIn(email)
    await desk.enrol(email, "viewer")
    for (let i = 0; i < 55; i++) {
      await desk.ask(owner, "mutation($id: ID!, $name: String!) { renameOrganization(id: $id, name: $name) { id } }", {
        id: desk.organizationId,
        name: `Observatory ${i}`
      })
    }
    for (const token of [owner, await desk.signIn(email)]) {
      await visit(`/apps/${desk.appId}/settings/organization-log`, { token }, async (page) => {
        const log = page.getByRole("region", { name: "Log of Observatory 54" })
        const rows = log.locator("tbody tr")
        await expect.poll(() => rows.count()).toBe(50)
        await rows.first().getByText("Organization changed").waitFor()
        await rows.first().getByText("Observatory 54").waitFor()
        await page.getByRole("link", { name: "Older" }).click()
        await log.getByText("Application created").waitFor()
        // A filter begins at the newest again, and stands in the address.
        await page.getByLabel("What").selectOption({ label: "Member added" })
        await log.getByText(email).first().waitFor()
        expect(new URL(page.url()).searchParams.get("what")).toBe("member.added")
        // The page before stays until the next one comes.
        await expect.poll(() => rows.getByText("Organization changed").count()).toBe(0)
        await page.getByRole("button", { name: "Clear" }).click()
        await rows.first().getByRole("link", { name: OWNER }).click()
        await expect.poll(() => page.getByLabel("Who").inputValue()).not.toBe("")
        await page.reload()
        await expect.poll(() => rows.count()).toBe(50)
        await expect.poll(() => page.getByLabel("Who").locator("option:checked").innerText()).toBe(OWNER)
        await page.getByLabel("to", { exact: true }).fill("2020-01-01")
        await page.getByText("No change matches the filters.").waitFor()
      })
    }
  })
})
