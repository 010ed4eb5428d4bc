import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const TOKEN = `${"Ab1-_".repeat(8)}xyz`
const open = async (path: string) => {
  const response = await fetch(`${server.baseUrl}${path}`)
  return { status: response.status, headers: response.headers, html: await response.text() }
}

describe("pages for people who sign in", () => {
  it("load, run, send and keep nothing", async () => {
    for (const path of [`/invitations/${TOKEN}`, "/sign-in", "/sign-in?external_sign_in=code&provider=github"]) {
      const { headers, html, status } = await open(path)
      expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"])
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
      )
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.getSetCookie()).toEqual([])
      expect(html).not.toMatch(/<script|<form|<img|\son\w+=/i)
    }
  })

  it("say how to accept the invitation of a mail, with its token", async () => {
    const { html } = await open(`/invitations/${TOKEN}`)
    expect(html).toContain(`mutation { acceptInvitation(token: &quot;${TOKEN}&quot;) { id name } }`)
    expect(html).toContain("sign in with the address that the invitation was sent to")
    for (const step of ["requestLoginCode", "verifyLoginCode", "/api/graphql", "user login-code"]) {
      expect(html).toContain(step)
    }
  })

  it("say of a link that was cut that it is not complete", async () => {
    for (const token of [TOKEN.slice(1), `${TOKEN}A`, `${TOKEN.slice(0, -3)}%3C%22`]) {
      const { html, status } = await open(`/invitations/${token}`)
      expect([token, status]).toEqual([token, 404])
      expect(JSON.parse(html).error.code).toBe("not_found")
    }
  })

  it("say in words what became of a sign-in, and what comes next", async () => {
    const words: Record<string, RegExp> = {
      bound: /From now on, your account with Google signs in here/,
      code: /15 minutes.*requestLoginCode/s,
      expired: /more than ten minutes ago.*requestLoginCode/s,
      cancelled: /Google was told not to/,
      refused: /does not prove who you are/,
      unavailable: /Google does not answer/,
      address_not_confirmed: /Confirm your address there/,
      registration_closed: /by invitation alone/,
      account_disabled: /Ask those who run this service/,
      session_ended: /Sign in and add Google again/,
      another_address: /another address than your account here/,
      bound_to_another: /signs in to another account here/
    }
    for (const [outcome, expected] of Object.entries(words)) {
      const { html, status } = await open(`/sign-in?external_sign_in=${outcome}&provider=google&return_to=%2Fx`)
      expect([outcome, status]).toEqual([outcome, 200])
      expect(html).toMatch(expected)
    }
  })

  it("show nothing that a link says but words of their own", async () => {
    const evil = encodeURIComponent('"><script>alert(1)</script>')
    for (const query of [
      `external_sign_in=${evil}&provider=${evil}&return_to=${evil}`,
      `external_sign_in=refused&provider=${evil}`,
      "external_sign_in=constructor&provider=__proto__"
    ]) {
      const { html, status } = await open(`/sign-in?${query}`)
      expect(status).toBe(200)
      expect(html).not.toMatch(/script|constructor|__proto__|alert/)
    }
  })
})
