import { describe, expect, it } from "vitest"
import type { SettingsError } from "../../../layers/config/Settings.ts"
import { read } from "../../../layers/config/Settings.ts"

const problemsOf = (env: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  try {
    read(env)
    return []
  } catch (error) {
    return (error as SettingsError).problems
  }
}

describe("read", () => {
  it("needs nothing: everything has a default", () => {
    const settings = read({})
    expect(settings).toMatchObject({ port: 8080, databaseUrl: null, natsUrl: null, masterKey: null })
    expect([...settings.roles]).toEqual(["api", "dispatch", "webhooks", "workflows"])
    expect(settings.engine.webhookRetryDelaysMs).toEqual([30_000, 60_000, 120_000, 240_000, 480_000])
  })

  it("takes an empty setting for one that is not there", () => {
    expect(read({ PORT: "", DATABASE_URL: " " })).toMatchObject({ port: 8080, databaseUrl: null })
  })

  it("names every wrong setting at once, and what it should be", () => {
    const problems = problemsOf({
      PORT: "70000",
      DATABASE_URL: "mysql://x",
      ROLES: "api,cook",
      OUTBOUND_ALLOW_CIDRS: "10.0.0.0/40",
      WEBHOOK_RETRY_DELAYS: "soon",
      LOG_LEVEL: "loud"
    })
    expect(problems.map((problem) => problem.split(" ")[0]).toSorted()).toEqual([
      "DATABASE_URL",
      "LOG_LEVEL",
      "OUTBOUND_ALLOW_CIDRS",
      "PORT",
      "ROLES",
      "WEBHOOK_RETRY_DELAYS"
    ])
    expect(problems.find((problem) => problem.startsWith("PORT"))).toBe("PORT must be a whole number from 0 to 65535")
  })

  it("demands a master key beside an external database, which has no data directory to keep one in", () => {
    expect(problemsOf({ DATABASE_URL: "postgres://localhost/x" })[0]).toContain("MASTER_KEY must be set")
    expect(problemsOf({ DATABASE_URL: "postgres://localhost/x", MASTER_KEY: "00".repeat(32) })).toEqual([])
  })

  it("refuses more connections than the embedded database takes, and leaves others to their owners", () => {
    expect(read({ PROCESSES: "38" }).databaseConnections).toBe(4)
    expect(problemsOf({ PROCESSES: "99" })).toEqual([
      "PROCESSES × (DATABASE_CONNECTIONS + 1) is 495, and the embedded PostgreSQL has room for 190: give less, or a server of your own with DATABASE_URL"
    ])
    const elsewhere = { DATABASE_URL: "postgres://heliograph@db/heliograph", MASTER_KEY: "a".repeat(64) }
    expect(read({ ...elsewhere, PROCESSES: "99" }).processes).toBe(99)
  })

  it("reads a master key as hexadecimal digits, as base64, or as a long text", () => {
    const bytes = new Uint8Array(32).fill(7)
    expect(read({ MASTER_KEY: bytes.toHex() }).masterKey).toEqual(bytes)
    expect(read({ MASTER_KEY: bytes.toBase64() }).masterKey).toEqual(bytes)
    expect(read({ MASTER_KEY: "a sentence that nobody else would think of" }).masterKey?.length).toBe(32)
    expect(problemsOf({ MASTER_KEY: "short" }).length).toBe(1)
  })

  it("reads delays in seconds, or with a unit", () => {
    expect(read({ WEBHOOK_RETRY_DELAYS: "0.1, 2,500ms,1m" }).engine.webhookRetryDelaysMs).toEqual([
      100, 2000, 500, 60_000
    ])
  })

  it("reads a rate limit as requests in seconds", () => {
    expect(read({ RATE_LIMIT_DEVICES: "5/1" }).rateLimits.devices).toEqual({ requests: 5, windowMs: 1000 })
    expect(read({}).rateLimits.secret).toEqual({ requests: 600_000, windowMs: 60_000 })
    for (const wrong of ["600", "0/60", "5/0", "-1/60", "5/60s", "5000000000/60", "5/90000"]) {
      expect(problemsOf({ RATE_LIMIT_PUBLIC: wrong })[0]).toContain("RATE_LIMIT_PUBLIC must be requests/seconds")
    }
  })

  it("reads where traces go, with what headers and how many, and the zone of those without one", () => {
    const { engine, otlpHeaders, traceRatio } = read({
      OTLP_HEADERS: "Api-Key=a%3Db, tenant=7",
      TRACE_RATIO: "0.25",
      DEFAULT_TIMEZONE: "Europe/Berlin"
    })
    expect(otlpHeaders).toEqual({ "api-key": "a=b", tenant: "7" })
    expect([traceRatio, engine.defaultTimezone]).toEqual([0.25, "Europe/Berlin"])
    const wrong: ReadonlyArray<Record<string, string>> = [
      { OTLP_HEADERS: "no header" },
      { OTLP_HEADERS: "a=%zz" },
      { TRACE_RATIO: "1.5" },
      { TRACE_RATIO: "-1" },
      { DEFAULT_TIMEZONE: "Mars/Olympus" }
    ]
    for (const env of wrong) expect(() => read(env)).toThrow(Object.keys(env)[0]!)
  })

  it("knows plan as another name of dispatch, and all for every role", () => {
    expect([...read({ ROLES: "plan,webhooks" }).roles]).toEqual(["dispatch", "webhooks"])
    expect(read({ ROLES: "all" }).roles.size).toBe(4)
  })

  it("says of roles which name is wrong, and what there is", () => {
    const wanted = "must be any of api, dispatch, webhooks, workflows, separated by commas, or all"
    expect(problemsOf({ ROLES: "api,cook" })).toEqual([`ROLES ${wanted}, not "cook"`])
    expect(problemsOf({ ROLES: "all,cook" })).toEqual([`ROLES ${wanted}, not "cook"`])
    expect(problemsOf({ ROLES: "api,,dispatch" })).toEqual([`ROLES ${wanted}, not ""`])
  })

  it("takes an address for the sender, with or without a name", () => {
    for (const from of ["push@example.com", "Heliograph <push@example.com>"]) {
      expect(read({ MAIL_FROM: from }).mailFrom).toBe(from)
    }
    for (const from of ["foo", "Heliograph", "<>", "Heliograph push@example.com"]) {
      expect(problemsOf({ MAIL_FROM: from })).toEqual([
        "MAIL_FROM must be an e-mail address, or a name and one: Heliograph <push@example.com>"
      ])
    }
  })

  it("derives its own address from where it listens, with brackets around an address of IPv6", () => {
    const own = (env: Readonly<Record<string, string>>) => read(env).baseUrl
    expect(own({})).toBe("http://127.0.0.1:8080")
    expect(own({ HOST: "::1", PORT: "9010" })).toBe("http://[::1]:9010")
    expect(own({ HOST: "push.internal", PORT: "80" })).toBe("http://push.internal:80")
    for (const HOST of ["0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0"]) {
      expect(own({ HOST })).toBe("http://localhost:8080")
    }
    expect(read({ HOST: "[::1]" })).toMatchObject({ host: "::1", baseUrl: "http://[::1]:8080" })
  })

  it("asks for its own address where it cannot be derived", () => {
    expect(problemsOf({ PORT: "0" })).toEqual([
      "BASE_URL must be set when PORT is 0, so that nobody knows the port before: the URL under which clients reach the service"
    ])
    expect(problemsOf({ HOST: "fe80::1%eth0" })).toEqual([
      "BASE_URL must be set when HOST is fe80::1%eth0: the URL under which clients reach the service"
    ])
    const BASE_URL = "https://push.example.com"
    expect(read({ BASE_URL, PORT: "0", HOST: "fe80::1%eth0" })).toMatchObject({ port: 0, baseUrl: BASE_URL })
    expect(problemsOf({ PORT: "0", BASE_URL: "push" })).toHaveLength(1)
  })

  it("takes an address or a name to listen at, without a port", () => {
    for (const HOST of ["127.0.0.1:8080", "[::1]:8080", "[localhost]", "http://localhost", "two words"]) {
      expect(problemsOf({ HOST })[0]).toContain("HOST must be an address or a name of this machine such as 127.0.0.1")
    }
  })

  it("takes an origin for its own address, with or without a slash behind it, and nothing more", () => {
    for (const own of ["https://push.example.com", "https://push.example.com/", "HTTPS://Push.Example.com:443"]) {
      expect(read({ BASE_URL: own }).baseUrl).toBe("https://push.example.com")
    }
    expect(read({ BASE_URL: "http://[::1]:8080/" }).baseUrl).toBe("http://[::1]:8080")
    for (const more of ["push/", "push", "/", "?a=b", "?", "#top", "#"]) {
      expect(problemsOf({ BASE_URL: `https://example.com/${more}` })).toEqual([
        "BASE_URL must be a URL without a path, query, fragment or user, such as https://example.com: the service answers at the root of its host, and needs a host name of its own"
      ])
    }
    const withUser = problemsOf({ BASE_URL: "https://ann:hush@example.com" })
    expect(withUser[0]).toContain("or user, such as https://example.com:")
    expect(withUser[0]).not.toContain("hush")
    expect(problemsOf({ BASE_URL: "push.example.com" })[0]).toContain("must be a URL that starts with http://")
  })

  it("refuses a longest wait between repetitions below the first one, and names both", () => {
    const least = "RETRY_MAX_SECONDS must be at least RETRY_BASE_SECONDS: they are"
    expect(problemsOf({ RETRY_BASE_SECONDS: "60", RETRY_MAX_SECONDS: "30" })).toEqual([`${least} 30 and 60`])
    expect(problemsOf({ RETRY_MAX_SECONDS: "4" })).toEqual([`${least} 4 and 5`])
    expect(problemsOf({ RETRY_BASE_SECONDS: "60", RETRY_MAX_SECONDS: "60" })).toEqual([])
  })

  it("counts the sizes of requests in bytes, and says so", () => {
    for (const name of ["BODY_LIMIT", "IMPORT_LIMIT"]) {
      expect(problemsOf({ [name]: "1MiB" })[0]).toContain(`${name} must be a whole number of bytes from 1024 to `)
    }
  })

  it("offers sign-in by a provider where both halves of its registration are given, and names the one that is missing", () => {
    expect(read({}).externalSignIn).toEqual({ google: null, github: null })
    const { github, google } = read({
      OAUTH_GOOGLE_CLIENT_ID: "g",
      OAUTH_GOOGLE_CLIENT_SECRET: "s",
      OAUTH_GITHUB_CLIENT_ID: "h",
      OAUTH_GITHUB_CLIENT_SECRET: "t",
      OAUTH_GITHUB_BASE_URL: "https://github.example.com/",
      OAUTH_GITHUB_API_URL: "https://github.example.com/api/v3"
    }).externalSignIn
    expect(google).toMatchObject({ clientId: "g", issuer: "https://accounts.google.com", asksCode: false })
    expect(github).toMatchObject({ baseUrl: "https://github.example.com", apiUrl: "https://github.example.com/api/v3" })
    expect(
      problemsOf({
        OAUTH_GOOGLE_CLIENT_ID: "g",
        OAUTH_GITHUB_CLIENT_SECRET: "t",
        OAUTH_GOOGLE_ISSUER: "http://accounts.google.com"
      }).map((problem) => problem.split(" must ")[0])
    ).toEqual(["OAUTH_GOOGLE_ISSUER", "OAUTH_GOOGLE_CLIENT_SECRET", "OAUTH_GITHUB_CLIENT_ID"])
  })
})
