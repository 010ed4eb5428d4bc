import { createECDH } from "node:crypto"
import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { SenderKeys } from "../../../layers/webpush/SenderKeys.ts"

const full = async (keys: SenderKeys, limit: number): Promise<void> => {
  while (keys.ready < limit) await turn()
}

describe("SenderKeys", () => {
  it("gives out each pair once, those made ahead and those made on demand", async () => {
    const keys = new SenderKeys(20)
    keys.refill()
    await full(keys, 20)
    const seen = new Set<string>()
    for (let n = 0; n < 60; n++) {
      const { pair, publicKey } = keys.take()
      seen.add(Buffer.from(publicKey).toString("hex"))
      const again = createECDH("prime256v1")
      again.setPrivateKey(pair.getPrivateKey())
      expect(Buffer.from(publicKey)).toEqual(again.getPublicKey())
      expect(publicKey).toHaveLength(65)
    }
    expect(seen.size).toBe(60)
  })

  it("makes no more than there is room for, between other events", async () => {
    const keys = new SenderKeys(300)
    keys.refill()
    keys.refill()
    expect(keys.ready).toBe(0)
    let turns = 0
    while (keys.ready < 300) {
      await turn()
      turns++
    }
    expect(turns).toBeGreaterThan(1)
    await turn()
    expect(keys.ready).toBe(300)
  })

  it("stops making keys ahead when there is other work, and begins again when asked", async () => {
    const keys = new SenderKeys(1000)
    keys.refill()
    await turn()
    keys.take()
    await turn()
    const ready = keys.ready
    for (let n = 0; n < 5; n++) await turn()
    expect(keys.ready).toBe(ready)
    keys.refill()
    await full(keys, 1000)
    keys.stop()
  })
})
