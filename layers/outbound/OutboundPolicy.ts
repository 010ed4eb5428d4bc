import { Effect, Layer } from "effect"
import { isIP, isIPv6 } from "node:net"
import type { CheckedUrl } from "../../services/ports/outbound/OutboundPolicy.ts"
import { OutboundPolicy, OutboundRefused } from "../../services/ports/outbound/OutboundPolicy.ts"
import { Settings } from "../config/Settings.ts"
import { makeRules } from "./AddressRules.ts"
import type { NameResolverOptions, Resolution } from "./NameResolver.ts"
import { NameResolver } from "./NameResolver.ts"
import { kindOfName } from "./NameRules.ts"

const NOT_ALLOWED = "the address is not allowed: it must be public"

const refuse = (message: string, transient = false) => new OutboundRefused({ message, transient })

/** `named`: an address that the customer wrote, never one that a name resolved to. */
const notPublic = (message: string, named?: string) => {
  const network = named === undefined ? "" : `=${named}/${isIPv6(named) ? 128 : 32}`
  return new OutboundRefused({ message, transient: false, setting: `OUTBOUND_ALLOW_CIDRS${network}` })
}

const HTTP: ReadonlyArray<"http:" | "https:"> = ["http:", "https:"]

/** What a URL that passed the syntactic rules says; the parser has already turned every notation of an IP into one. */
const parseUrl = (text: string, protocols: ReadonlyArray<string>): URL | OutboundRefused => {
  if (!URL.canParse(text)) return refuse("the address is not a URL")
  const url = new URL(text)
  if (!protocols.includes(url.protocol)) {
    return refuse(`the address must start with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`)
  }
  if (url.username !== "" || url.password !== "") return refuse("the address must not contain a user or a password")
  if (url.port === "0") return refuse("the port is not allowed")
  if (url.hostname === "") return refuse("the address has no host")
  return url
}

/** A host without brackets, in the form that WHATWG URL gives it; null when it is none. */
const parseHost = (host: string): string | null => {
  const authority = isIPv6(host) ? `[${host}]` : host
  if (authority === "" || /[\s/\\?#@%]|:(?!.*\])/.test(authority)) return null
  const text = `http://${authority}/`
  return URL.canParse(text) ? bare(new URL(text).hostname) : null
}

const bare = (hostname: string): string => (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)

const familyOf = (address: string): 4 | 6 => (isIPv6(address) ? 6 : 4)

/** The rules with name servers, hosts file and times of one's own; the operator's networks come from the settings. */
export const layerWith = (options: NameResolverOptions): Layer.Layer<OutboundPolicy, never, Settings> =>
  Layer.effect(
    OutboundPolicy,
    Effect.gen(function* () {
      const settings = yield* Settings
      const allows = makeRules(settings.outboundAllowCidrs)
      const resolver = new NameResolver(options)
      const forbidden = (host: string): boolean => isIP(host) !== 0 && !allows(host)

      /** Private names lead somewhere only where the operator has opened a network for them. */
      const refusalOfName = (name: string): OutboundRefused | null => {
        switch (kindOfName(name)) {
          case "never":
            return refuse("the host name cannot exist")
          case "loopback":
            return allows("127.0.0.1") || allows("::1") ? null : notPublic(NOT_ALLOWED, "127.0.0.1")
          case "private":
            return settings.outboundAllowCidrs.length > 0 ? null : notPublic("the host name is not a public one")
          case "public":
            return null
        }
      }

      /** The addresses to use, or why there are none. */
      const judge = (host: string, resolution: Resolution): ReadonlyArray<string> | OutboundRefused => {
        if (resolution._tag === "NoAnswer") return refuse("the host name could not be resolved", true)
        if (resolution._tag === "Unknown") return refuse("the host name does not exist", true)
        const allowed = resolution.addresses.filter(allows)
        // One bad address refuses them all: it shows a name that is made to change its mind. What this machine itself
        // says is no such trick: `localhost` is good when only one of its two addresses was opened.
        if (allowed.length === 0 || (!resolution.local && allowed.length < resolution.addresses.length)) {
          return notPublic(NOT_ALLOWED, kindOfName(host) === "loopback" ? "127.0.0.1" : undefined)
        }
        // IPv4 first: a network without IPv6 is more common than one without IPv4.
        return [...allowed.filter((a) => !isIPv6(a)), ...allowed.filter((a) => isIPv6(a))]
      }

      /** Literals never reach the resolver. A fresh answer costs no promise: every attempt of every webhook comes here. */
      const resolve = (host: string): Effect.Effect<ReadonlyArray<string>, OutboundRefused> => {
        if (isIP(host) !== 0)
          return forbidden(host) ? Effect.fail(notPublic(NOT_ALLOWED, host)) : Effect.succeed([host])
        // Before anybody is asked: the two answers there could be would tell which names a private network has.
        const refused = refusalOfName(host)
        if (refused !== null) return Effect.fail(refused)
        const known = resolver.cached(host)
        return Effect.flatMap(
          known === null ? Effect.promise(() => resolver.resolve(host)) : Effect.succeed(known),
          (it) => {
            const judged = judge(host, it)
            return judged instanceof OutboundRefused ? Effect.fail(judged) : Effect.succeed(judged)
          }
        )
      }

      return {
        allows,
        refusal: (text, protocols = HTTP) => {
          const url = parseUrl(text, protocols)
          if (url instanceof OutboundRefused) return url
          const host = bare(url.hostname)
          if (isIP(host) === 0) return refusalOfName(host)
          return allows(host) ? null : notPublic(NOT_ALLOWED, host)
        },
        check: (text, protocols = HTTP) =>
          Effect.suspend(() => {
            const url = parseUrl(text, protocols)
            if (url instanceof OutboundRefused) return Effect.fail(url)
            const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
            return Effect.map(resolve(bare(url.hostname)), (addresses): CheckedUrl => ({
              url,
              address: addresses[0]!,
              family: familyOf(addresses[0]!),
              addresses,
              port
            }))
          }),
        checkHost: (text, port) =>
          Effect.suspend(() => {
            if (!Number.isInteger(port) || port < 1 || port > 65_535)
              return Effect.fail(refuse("the port is not allowed"))
            const host = parseHost(text)
            if (host === null) return Effect.fail(refuse("the host is not a host name or an address"))
            return Effect.map(resolve(host), ([address]) => ({ address: address!, family: familyOf(address!) }))
          })
      }
    })
  )

/** With the hosts file of this machine, and its name servers unless the settings name others. */
export const layer: Layer.Layer<OutboundPolicy, never, Settings> = Layer.unwrap(
  Effect.map(Settings, ({ outboundNameServers: servers }) => layerWith(servers === null ? {} : { servers }))
)
