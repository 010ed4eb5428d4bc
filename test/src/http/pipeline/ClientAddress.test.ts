import { Headers } from "effect/http"
import { IpNetwork } from "effect/net"
import { describe, expect, it } from "vitest"
import { clientAddress } from "../../../../src/http/pipeline/ClientAddress.ts"

const networks = (...texts: ReadonlyArray<string>) => texts.map(IpNetwork.fromStringUnsafe)
const asked = (trusted: ReadonlyArray<IpNetwork.IpNetwork>, peer: string | undefined, forwarded?: string) =>
  clientAddress(trusted)({
    source: { socket: { remoteAddress: peer } },
    headers: Headers.fromInput(forwarded === undefined ? {} : { "x-forwarded-for": forwarded })
  })

const PROXIES = networks("10.0.0.0/8", "fd00::/8")

describe("clientAddress", () => {
  it("is the peer's own address when nobody is trusted, whatever a header says", () => {
    expect(asked([], "192.0.2.7", "203.0.113.5")).toBe("192.0.2.7")
    expect(asked(PROXIES, "192.0.2.7", "203.0.113.5")).toBe("192.0.2.7")
  })

  it("is what the nearest proxy wrote, not what the client wrote before it", () => {
    expect(asked(PROXIES, "10.0.0.2", "203.0.113.5")).toBe("203.0.113.5")
    expect(asked(PROXIES, "10.0.0.2", "1.1.1.1, 2.2.2.2, 203.0.113.5")).toBe("203.0.113.5")
  })

  it("passes over trusted proxies behind each other, and stops at the first who is none", () => {
    expect(asked(PROXIES, "10.0.0.2", "1.1.1.1, 203.0.113.5, 10.0.0.9, 10.1.2.3")).toBe("203.0.113.5")
    // A client that names a trusted address of its own making is stopped by its own true one.
    expect(asked(PROXIES, "10.0.0.2", "10.0.0.77, 203.0.113.5")).toBe("203.0.113.5")
  })

  it("is the last proxy when all that is named are proxies, or nothing is named", () => {
    expect(asked(PROXIES, "10.0.0.2", "10.0.0.9")).toBe("10.0.0.9")
    expect(asked(PROXIES, "10.0.0.2")).toBe("10.0.0.2")
    expect(asked(PROXIES, "10.0.0.2", "")).toBe("10.0.0.2")
  })

  it.each(["unknown", "_hidden", "203.0.113.500", "a, b", "'; DROP TABLE", "203.0.113.5 x"])(
    "stops at what is no address: %s",
    (text) => {
      expect(asked(PROXIES, "10.0.0.2", `203.0.113.5, ${text}`)).toBe("10.0.0.2")
    }
  )

  it("reads addresses with ports and brackets", () => {
    expect(asked(PROXIES, "10.0.0.2", "203.0.113.5:4711")).toBe("203.0.113.5")
    expect(asked(PROXIES, "10.0.0.2", "[2001:db8:1:2::5]:443")).toBe("2001:db8:1:2::/64")
    expect(asked(PROXIES, "10.0.0.2", "2001:db8:1:2::5")).toBe("2001:db8:1:2::/64")
  })

  it("counts a /64 of IPv6 as one client", () => {
    const one = asked([], "2001:db8:1:2::1")
    expect(asked([], "2001:db8:1:2:ffff:ffff:ffff:ffff")).toBe(one)
    expect(asked([], "2001:db8:1:3::1")).not.toBe(one)
  })

  it("counts an IPv4 address as the same client in its IPv6 form", () => {
    expect(asked([], "::ffff:192.0.2.7")).toBe("192.0.2.7")
    expect(asked(PROXIES, "::ffff:10.0.0.2", "::ffff:203.0.113.5")).toBe("203.0.113.5")
  })

  it("counts those together whose address is gone", () => {
    expect(asked([], undefined)).toBe("unknown")
  })

  it("reads no more of a header than a chain of proxies can be long", () => {
    const chain = Array.from({ length: 5000 }, () => "10.0.0.9").join(", ")
    expect(asked(PROXIES, "10.0.0.2", `203.0.113.5, ${chain}`)).toBe("10.0.0.9")
  })
})
