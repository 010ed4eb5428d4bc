import { createECDH } from "node:crypto"
import { describe, expect, it } from "vitest"
import { Subscribers } from "../../../layers/webpush/Subscribers.ts"

const points = (count: number) => Array.from({ length: count }, () => createECDH("prime256v1").generateKeys())

describe("Subscribers", () => {
  it("keeps a key from its second use on", () => {
    const [point] = points(1)
    const subscribers = new Subscribers(10)
    const first = subscribers.read(point!)
    expect(first!.export({ format: "jwk" }).x).toBe(point!.toString("base64url", 1, 33))
    expect(subscribers.size).toBe(0)
    const second = subscribers.read(point!)
    expect(subscribers.size).toBe(1)
    expect(subscribers.read(Buffer.from(point!))).toBe(second)
  })

  it("forgets the least recently used beyond its limit", () => {
    const [a, b, c] = points(3)
    const subscribers = new Subscribers(2)
    const keep = (point: Buffer) => {
      subscribers.read(point)
      return subscribers.read(point)
    }
    const first = keep(a!)
    const second = keep(b!)
    expect(subscribers.read(a!)).toBe(first)
    keep(c!)
    expect(subscribers.size).toBe(2)
    expect(subscribers.read(a!)).toBe(first)
    expect(subscribers.read(b!)).not.toBe(second)
  })

  it("keeps nothing of those who are met once, nor of points that are none", () => {
    const subscribers = new Subscribers(1000)
    for (const point of points(200)) subscribers.read(point)
    expect(subscribers.size).toBe(0)
    const none = Buffer.alloc(65, 4)
    for (let n = 0; n < 3; n++) expect(subscribers.read(none)).toBeNull()
    expect(subscribers.size).toBe(0)
  })
})
