import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { EmailAddress } from "../../services/domain/audience/EmailAddress.ts"
import { RegisterDevice } from "../../services/domain/audience/Device.ts"
import { Audience, DEAD_TOKENS } from "../../simulators/Audience.ts"

const options = { webPushOrigin: "https://127.0.0.1:4433", seed: "seed" }

describe("the audience", () => {
  it("writes lines that registration takes, of all three platforms and both environments", () => {
    const lines = [...new Audience(options).lines(2000)]
    const devices = lines.map((line) => Schema.decodeUnknownSync(RegisterDevice)(JSON.parse(line)))
    const count = (test: (device: (typeof devices)[number]) => boolean) => devices.filter(test).length
    expect(count(({ platform }) => platform === "ios")).toBe(800)
    expect(count(({ platform }) => platform === "android")).toBe(800)
    expect(count(({ platform }) => platform === "web")).toBe(400)
    expect(count(({ environment }) => environment === "sandbox")).toBe(16)
    expect(new Set(devices.map(({ token }) => token)).size).toBe(2000)
  })

  it("is the same in every process, and another under another seed", () => {
    const one = [...new Audience(options).lines(20, 5)]
    expect([...new Audience(options).lines(25)].slice(5)).toEqual(one)
    expect([...new Audience({ ...options, seed: "other" }).lines(20, 5)]).not.toEqual(one)
  })

  it("makes every nth device dead and keeps to the mix it is given", () => {
    const audience = new Audience({ ...options, deadEvery: 3, mix: { ios: 1, android: 1, web: 0 } })
    const devices = Array.from({ length: 6 }, (_, index) => audience.device(index))
    expect(devices.map(({ platform }) => platform)).toEqual(["ios", "android", "ios", "android", "ios", "android"])
    expect(devices[2]!.token.startsWith(DEAD_TOKENS.ios.unregistered)).toBe(true)
    expect(devices[5]!.token.startsWith(DEAD_TOKENS.android.unregistered)).toBe(true)
    expect([0, 1, 2, 3, 4, 5].filter((index) => audience.isDead(index))).toEqual([2, 5])
  })

  it("names e-mail addresses", () => {
    const addresses = [0, 1, 2].map((index) => new Audience(options).email(index))
    expect(new Set(addresses).size).toBe(3)
    for (const address of addresses) expect(Schema.decodeUnknownSync(EmailAddress)(address)).toBe(address)
  })
})
