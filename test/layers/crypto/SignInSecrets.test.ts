import { Context, Effect, Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import * as Live from "../../../layers/crypto/SignInSecrets.ts"
import type { AccountAddress } from "../../../services/domain/people/AccountAddress.ts"
import { goBy } from "../../../services/ports/Now.ts"
import { SignInSecrets } from "../../../services/ports/people/SignInSecrets.ts"

const secretsOf = (...keys: ReadonlyArray<Uint8Array>) =>
  Effect.runSync(Effect.scoped(Effect.map(Layer.build(Live.layerOf(...keys)), Context.get(SignInSecrets))))
const [OLD, NEW] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const secrets = secretsOf(OLD)
const [ADA, BOB] = ["ada@example.com" as AccountAddress, "bob@example.com" as AccountAddress]

describe("codes", () => {
  it("are six digits, leading zeros among them", () => {
    const codes = Array.from({ length: 2000 }, secrets.newCode)
    expect(codes.every((code) => /^[0-9]{6}$/.test(code))).toBe(true)
    expect(codes.some((code) => code.startsWith("0"))).toBe(true)
    expect(new Set(codes).size).toBeGreaterThan(1900)
  })

  it("are kept as a hash that holds for one purpose and address alone, under each live key", () => {
    const hash = (...of: Parameters<typeof secrets.codeHashes>) =>
      Buffer.from(secrets.codeHashes(...of)[0]).toString("hex")
    const own = hash("sign_in", ADA, "123456")
    expect(own).toHaveLength(64)
    expect(hash("sign_in", ADA, "123456")).toBe(own)
    const others = [
      hash("delete_account", ADA, "123456"),
      hash("sign_in", BOB, "123456"),
      hash("sign_in", ADA, "123457"),
      hash("sign_in", "ada@example.com1" as AccountAddress, "23456")
    ]
    expect(new Set([own, ...others]).size).toBe(5)
    const rotated = secretsOf(NEW, OLD).codeHashes("sign_in", ADA, "123456")
    expect(rotated.map((one) => Buffer.from(one).toString("hex"))[1]).toBe(own)
    expect(rotated).toHaveLength(2)
  })

  it("are counted under a name that says nothing of the address", () => {
    expect(secrets.attemptKey("codes", ADA)).toMatch(/^codes:[0-9a-f]{32}$/)
    expect(secrets.attemptKey("wrong", ADA).slice(6)).not.toBe(secrets.attemptKey("codes", ADA).slice(6))
  })
})

describe("a browser that has signed in before", () => {
  let back = () => {}
  afterEach(() => back())

  it("is known again for the address that it proved, and for no other", () => {
    const token = secrets.newDevice(ADA)
    expect(secrets.deviceOf(ADA, token)).toMatch(/^[0-9a-f]{32}$/)
    expect(secrets.deviceOf(BOB, token)).toBeNull()
    expect(secretsOf(NEW, OLD).deviceOf(ADA, token)).toBe(secrets.deviceOf(ADA, token))
    expect(secretsOf(NEW).deviceOf(ADA, token)).toBeNull()
    for (const other of ["", token.slice(1), `${token}A`, token.replace(/.$/, "*"), "x".repeat(1000)]) {
      expect(secrets.deviceOf(ADA, other)).toBeNull()
    }
  })

  it("is forgotten after half a year", () => {
    const token = secrets.newDevice(ADA)
    const made = Date.now()
    back = goBy(() => made + 179 * 86_400_000)
    expect(secrets.deviceOf(ADA, token)).not.toBeNull()
    back = goBy(() => made + 181 * 86_400_000)
    expect(secrets.deviceOf(ADA, token)).toBeNull()
  })
})
