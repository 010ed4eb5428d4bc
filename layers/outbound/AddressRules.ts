import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const networks = (...texts: ReadonlyArray<string>) => texts.map(IpNetwork.fromStringUnsafe)

/** IPv4 that is not public: special-purpose ranges, multicast, reserved, and one cloud's host address. */
const DENIED_V4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32"
)

/**
 * IPv6 is public only in 2000::/3, minus these. Everything else, the IPv4-mapped addresses among it, is refused
 * without a list of its own.
 */
const PUBLIC_V6 = IpNetwork.fromStringUnsafe("2000::/3")
const DENIED_V6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3ffe::/16", "3fff::/20")

/** The well-known NAT64 prefix (RFC 6052) and the one for local use (RFC 8215). */
const NAT64 = networks("64:ff9b::/96", "64:ff9b:1::/48")

const among = (list: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress): boolean =>
  list.some((network) => IpNetwork.contains(network, address))

/** The IPv4 address inside a NAT64 address, by the length of the prefix that the operator opened (RFC 6052, 2.2). */
const embedded = (address: NetAddress.Ipv6Address, prefixLength: number): Option.Option<NetAddress.Ipv4Address> => {
  const octets = NetAddress.ipv6ToOctets(address)
  // Octet 8 is skipped by the format.
  const places = prefixLength >= 96 ? [12, 13, 14, 15] : prefixLength === 48 ? [6, 7, 9, 10] : null
  if (places === null) return Option.none()
  return Result.getSuccess(NetAddress.ipv4FromInput(Uint8Array.from(places, (place) => octets[place]!)))
}

/**
 * Whether an address literal may be called. `opened` are the operator's networks: what they contain is allowed. A
 * NAT64 prefix among them is not open by itself: the IPv4 address inside is judged.
 */
export const makeRules = (opened: ReadonlyArray<IpNetwork.IpNetwork>): ((address: string) => boolean) => {
  const allowsV4 = (address: NetAddress.Ipv4Address): boolean => among(opened, address) || !among(DENIED_V4, address)
  const allowsV6 = (address: NetAddress.Ipv6Address): boolean => {
    if (among(NAT64, address)) {
      return opened.some((network) => {
        if (!IpNetwork.contains(network, address)) return false
        const inside = embedded(address, network.prefixLength)
        return Option.isSome(inside) && allowsV4(inside.value)
      })
    }
    return among(opened, address) || (IpNetwork.contains(PUBLIC_V6, address) && !among(DENIED_V6, address))
  }
  return (text) => {
    // What is not a plain literal (a name, a zone id, an octal part) was not understood, and so is not allowed.
    const parsed = NetAddress.ipFromString(text)
    if (parsed._tag === "Failure") return false
    return NetAddress.isIpv4Address(parsed.success) ? allowsV4(parsed.success) : allowsV6(parsed.success)
  }
}
