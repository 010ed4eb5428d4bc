import { IpNetwork, NetAddress } from "effect/net"
import type { IncomingMessage } from "node:http"
import type { Incoming } from "./Incoming.ts"

/*
 * Who sent a request, as far as addresses tell. The peer of the connection cannot lie about its own. What it says of
 * others is believed when it is one of the operator's proxies: X-Forwarded-For is read from the right, where the nearest
 * proxy has written, and the first address that is no trusted proxy is the client's. Whatever stands left of it the
 * client may have made up.
 */

/** Proxies in a row, at most: what is longer was not written by an operator's own. */
const HOPS = 16

/** `[2001:db8::1]:443`, `192.0.2.1:1234` and plain addresses, as proxies write them. */
const FORWARDED = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d[\d.]*):\d{1,5}|([^[\]]*))$/

const parse = (text: string): NetAddress.IpAddress | null => {
  const parsed = NetAddress.ipFromString(text)
  if (parsed._tag === "Failure") return null
  const address = parsed.success
  if (!NetAddress.isIpv6Address(address)) return address
  const segments = NetAddress.ipv6ToSegments(address)
  // A socket that listens for both families shows IPv4 peers as ::ffff:192.0.2.1.
  if (segments.slice(0, 5).some((segment) => segment !== 0) || segments[5] !== 0xffff) return address
  const octets = [segments[6]! >> 8, segments[6]! & 255, segments[7]! >> 8, segments[7]! & 255] as const
  return NetAddress.ipFromStringUnsafe(octets.join("."))
}

/** What is counted as one client: an IPv4 address, or a /64 of IPv6, which is what a single customer gets. */
const counted = (address: NetAddress.IpAddress): string => {
  if (!NetAddress.isIpv6Address(address)) return NetAddress.formatIp(address)
  const [a, b, c, d] = NetAddress.ipv6ToSegments(address)
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`
}

const PLAIN_IPV4 = /^[\d.]+$/

/** Where a connection comes from; the text is good for counting only. */
export const peerAddress = (peer: string): string => {
  if (PLAIN_IPV4.test(peer)) return peer
  const address = parse(peer)
  return address === null ? "unknown" : counted(address)
}

const among =
  (trusted: ReadonlyArray<IpNetwork.IpNetwork>) =>
  (address: NetAddress.IpAddress): boolean =>
    trusted.some((network) => IpNetwork.contains(network, address))

/** Whether a connection comes from one of the operator's proxies. */
export const isProxy = (trusted: ReadonlyArray<IpNetwork.IpNetwork>): ((peer: string) => boolean) => {
  const isTrusted = among(trusted)
  return (peer) => {
    const address = parse(peer)
    return address !== null && isTrusted(address)
  }
}

/** Clients by the addresses of connections and the headers of trusted proxies; the text is good for counting only. */
export const clientAddress = (
  trusted: ReadonlyArray<IpNetwork.IpNetwork>
): ((request: Pick<Incoming, "headers" | "source">) => string) => {
  const isTrusted = among(trusted)

  return ({ headers, source }) => {
    // A connection that is closing has no address any more; all of those are counted together.
    const peerText = (source as Partial<IncomingMessage>).socket?.remoteAddress ?? ""
    if (trusted.length === 0 && PLAIN_IPV4.test(peerText)) return peerText
    let nearest = parse(peerText)
    if (nearest === null) return "unknown"
    const forwarded = headers["x-forwarded-for"]
    if (forwarded === undefined || !isTrusted(nearest)) return counted(nearest)
    const hops = forwarded.split(",").slice(-HOPS)
    for (let i = hops.length - 1; i >= 0; i--) {
      const [, bracketed, withPort, plain] = FORWARDED.exec(hops[i]!.trim()) ?? []
      const address = parse(bracketed ?? withPort ?? plain ?? "")
      // Not an address: who wrote it is all that is known.
      if (address === null) break
      nearest = address
      if (!isTrusted(address)) break
    }
    return counted(nearest)
  }
}
