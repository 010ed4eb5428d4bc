import { describe, expect, it } from "vitest"
import { mustEncrypt } from "../../../layers/mail/SmtpPool.ts"

describe("a password for an SMTP server", () => {
  const auth = { user: "engine", pass: "secret" }

  it("never leaves this machine unencrypted", () => {
    expect(["192.0.2.1", "10.0.0.1", "2001:db8::1", "::ffff:127.0.0.1"].map((to) => mustEncrypt({ auth }, to))).toEqual(
      [true, true, true, true]
    )
    expect(["127.0.0.1", "127.1.2.3", "::1"].map((to) => mustEncrypt({ auth }, to))).toEqual([false, false, false])
    expect(mustEncrypt({ auth: null }, "192.0.2.1")).toBe(false)
  })
})
