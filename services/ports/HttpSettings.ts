import { Context } from "effect"
import type { IpNetwork } from "effect/net"
import type { RateLimits } from "../domain/access/RateLimit.ts"

/** The settings that the HTTP surface depends on. layers/config reads and checks them. */
export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** Where clients reach this service; ends without a slash. */
    readonly baseUrl: string
    /** Bytes of a JSON request body, at most. */
    readonly bodyLimit: number
    /** Bytes of a device import, at most. */
    readonly importLimit: number
    /** Proxies whose X-Forwarded-For is believed. */
    readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
    readonly rateLimits: RateLimits
  }
>()("heliograph/ports/HttpSettings") {}
