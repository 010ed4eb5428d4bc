import { Effect, Exit, Scope } from "effect"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BrowserContext } from "playwright-core"
import { chromium } from "playwright-core"
import { Audience } from "../../../simulators/Audience.ts"
import type { Over, System } from "../../System.ts"
import { makeSystem } from "../../System.ts"
import { program } from "../../Programs.ts"
import { until } from "../Site.ts"

/** A step in a browser on a busy machine. Milliseconds. */
const PATIENCE = 30_000

const ROOT = join(import.meta.dirname, "../../..")
const MAIN = join(ROOT, "src/main.ts")

export const OWNER = "ada@example.com"

export interface Desk {
  readonly system: System
  readonly appId: string
  readonly organizationId: string
  /** A request of the REST API with the application's secret key. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown
  ) => Promise<{ readonly status: number; readonly body: any }>
  /** A GraphQL request with somebody's session. */
  readonly ask: (token: string, query: string, variables?: unknown) => Promise<any>
  /** Sends, waits for the end, and answers the id. */
  readonly send: (request: unknown) => Promise<string>
  readonly loginCode: (email: string) => Promise<string>
  /** The token of a new session. */
  readonly signIn: (email: string) => Promise<string>
  /** The newest text of a mail to an address in which the pattern is found, and its first group. */
  readonly mailed: (email: string, pattern: RegExp) => Promise<string>
  readonly enrol: (email: string, role: string) => Promise<void>
  /** A browser that nobody else uses, signed in with a token, if any. */
  readonly open: (options?: Opening) => Promise<BrowserContext>
  readonly close: () => Promise<void>
}

export interface Opening {
  readonly token?: string
  readonly colorScheme?: "light" | "dark"
  readonly width?: number
  readonly height?: number
  /** Takes every certificate, as those of other services that sign in. */
  readonly isTrusting?: boolean
}

/**
 * A whole engine with simulators, an owner who has signed in, and an application with credentials and devices.
 * `keepsPages`: going back shows a page as it was left, as people's browsers do.
 */
export const openDesk = async (
  devices: number,
  deadEvery = 40,
  settings: Over = {},
  { keepsPages = false }: { readonly keepsPages?: boolean } = {}
): Promise<Desk> => {
  await promisify(execFile)(process.execPath, [join(ROOT, "dashboard/build.ts")])
  const scope = Effect.runSync(Scope.make())
  const system = await Effect.runPromise(
    Scope.provide(
      makeSystem((fleet) => ({ BATCH_SIZE: "50", ...(typeof settings === "function" ? settings(fleet) : settings) })),
      scope
    )
  )
  const browser = await chromium.launch({
    executablePath: program("chromium", "chromium"),
    timeout: PATIENCE,
    ...(keepsPages ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--force-color-profile=srgb",
      "--font-render-hinting=none"
    ]
  })

  const cli = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env: system.env, cwd: ROOT })
    return stdout
  }
  const loginCode = async (email: string): Promise<string> =>
    (JSON.parse(await cli("user", "login-code", "--email", email, "--json")) as { code: string }).code
  const ask: Desk["ask"] = async (token, query, variables = {}) => {
    const response = await fetch(`${system.url}/api/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query, variables })
    })
    const { data, errors } = (await response.json()) as { data?: unknown; errors?: unknown }
    if (errors !== undefined) throw new Error(JSON.stringify(errors))
    return data
  }
  const verify = async (email: string) =>
    (
      await ask(
        "",
        "mutation($email: String!, $code: String!) { verifyLoginCode(email: $email, code: $code) { token first { organization { id } appId secretKey } } }",
        { email, code: await loginCode(email) }
      )
    ).verifyLoginCode
  const signIn = async (email: string): Promise<string> => (await verify(email)).token
  const { first } = await verify(OWNER)
  const authorization = `ApiKey ${first.secretKey}`
  const call: Desk["call"] = async (method, path, body) => {
    const isText = typeof body === "string"
    const response = await fetch(system.url + path, {
      method,
      headers: { authorization, "content-type": isText ? "application/x-ndjson" : "application/json" },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, body: text === "" || isText ? null : JSON.parse(text) }
  }
  for (const [kind, credential] of Object.entries(system.fleet.description.credentials)) {
    const { status } = await call("PUT", `/api/v1/credentials/${kind}`, credential)
    if (status !== 200) throw new Error(`The ${kind} credential was answered ${status}`)
  }
  const audience = new Audience({ ...system.fleet.description.audience, deadEvery })
  await call("POST", "/api/v1/devices/import", [...audience.lines(devices, 0)].join(""))

  return {
    system,
    appId: first.appId,
    organizationId: first.organization.id,
    call,
    ask,
    loginCode,
    signIn,
    send: async (request) => {
      const { body, status } = await call("POST", "/api/v1/notifications", request)
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
      const shown = () => call("GET", `/api/v1/notifications/${body.id}`)
      await until("The end of a notification", shown, (answer) => answer.body.status === "completed")
      return body.id
    },
    mailed: (email, pattern) => {
      const folder = join(system.env["DATA_DIR"]!, "mail")
      const look = async (): Promise<string | undefined> => {
        const names = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith(".txt")) : []
        for (const name of names.toSorted().toReversed()) {
          const text = await readFile(join(folder, name), "utf8")
          const found = text.startsWith(`To: ${email}\n`) ? pattern.exec(text)?.[1] : undefined
          if (found !== undefined) return found
        }
        return undefined
      }
      return until(`A mail to ${email}`, look, (found) => found !== undefined) as Promise<string>
    },
    enrol: async (email, role) => {
      await cli("org", "enrol", "--org", first.organization.id, "--email", email, "--role", role)
    },
    open: async ({ colorScheme = "light", height = 900, isTrusting = false, token, width = 1280 } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme,
        locale: "en-GB",
        timezoneId: "Europe/Berlin",
        reducedMotion: "reduce",
        ignoreHTTPSErrors: isTrusting,
        baseURL: system.url
      })
      context.setDefaultTimeout(PATIENCE)
      if (token !== undefined) await context.addCookies([{ name: "service_session", value: token, url: system.url }])
      return context
    },
    close: async () => {
      await browser.close().catch(() => undefined)
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
