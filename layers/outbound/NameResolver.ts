import { lookup, Resolver } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"

/** What a name stands for. `local`: it was said by this machine (hosts file, localhost), not by a name server. */
export type Resolution =
  | { readonly _tag: "Found"; readonly addresses: ReadonlyArray<string>; readonly local: boolean }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "NoAnswer" }

export interface NameResolverOptions {
  /** Name servers as `address` or `address:port`; those of the system by default. */
  readonly servers?: ReadonlyArray<string>
  readonly hostsFile?: string
  /** How long a name may take, A and AAAA together. */
  readonly deadlineMs?: number
  /** How long an answer is used again. */
  readonly cacheMs?: number
}

const CACHED_NAMES = 10_000
const HOSTS_MS = 5000

const parseHosts = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const hosts = new Map<string, Array<string>>()
  for (const line of text.split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (address === undefined || isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), address])
    }
  }
  return hosts
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ""

/**
 * Resolves names for outbound requests. It asks the name servers itself instead of getaddrinfo, which would hold one
 * of the process's few threads for as long as a customer's slow name server pleases; the hosts file counts first, as
 * it does there.
 */
export class NameResolver {
  readonly #resolver: Resolver
  readonly #hostsFile: string
  readonly #deadlineMs: number
  readonly #cacheMs: number
  #hosts: { readonly until: number; readonly read: Promise<ReadonlyMap<string, ReadonlyArray<string>>> } | null = null
  readonly #cache = new Map<string, { until: number; readonly answer: Promise<Resolution>; done: Resolution | null }>()

  constructor(options: NameResolverOptions = {}) {
    this.#deadlineMs = options.deadlineMs ?? 5000
    this.#cacheMs = options.cacheMs ?? 1000
    this.#hostsFile = options.hostsFile ?? "/etc/hosts"
    this.#resolver = new Resolver({ timeout: Math.ceil(this.#deadlineMs / 2), tries: 2 })
    if (options.servers !== undefined) this.#resolver.setServers(options.servers)
  }

  /** A fresh answer at once, when there is one: hot paths need no promise. */
  cached(name: string): Resolution | null {
    const entry = this.#cache.get(name)
    return entry !== undefined && entry.until > performance.now() ? entry.done : null
  }

  /** Never rejects. Callers of one name at the same time share one question. */
  resolve(name: string): Promise<Resolution> {
    const known = this.#cache.get(name)
    if (known !== undefined && known.until > performance.now()) return known.answer
    if (this.#cache.size >= CACHED_NAMES) this.#evict()
    const entry = { until: Infinity, answer: this.#ask(name), done: null as Resolution | null }
    this.#cache.set(name, entry)
    void entry.answer.then((answer) => {
      entry.done = answer
      entry.until = performance.now() + this.#cacheMs
    })
    return entry.answer
  }

  #evict(): void {
    const now = performance.now()
    for (const [name, entry] of this.#cache) if (entry.until <= now) this.#cache.delete(name)
    if (this.#cache.size >= CACHED_NAMES) this.#cache.clear()
  }

  async #ask(written: string): Promise<Resolution> {
    const name = written.toLowerCase().replace(/\.$/, "")
    const local = (await this.#readHosts()).get(name)
    if (local !== undefined) return { _tag: "Found", addresses: local, local: true }
    // RFC 6761: these names never reach a name server.
    if (name === "localhost" || name.endsWith(".localhost")) {
      return { _tag: "Found", addresses: ["127.0.0.1", "::1"], local: true }
    }
    let timer: NodeJS.Timeout | undefined
    const deadline = new Promise<Resolution>((resolve) => {
      timer = setTimeout(() => resolve({ _tag: "NoAnswer" }), this.#deadlineMs)
    })
    return Promise.race([this.#askServers(name), deadline]).finally(() => clearTimeout(timer))
  }

  async #askServers(name: string): Promise<Resolution> {
    const results = await Promise.allSettled([this.#resolver.resolve4(name), this.#resolver.resolve6(name)])
    const addresses = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []))
    if (addresses.length > 0) return { _tag: "Found", addresses, local: false }
    const codes = results.map((result) => (result.status === "rejected" ? codeOf(result.reason) : "ENODATA"))
    if (!codes.every((code) => code === "ENOTFOUND" || code === "ENODATA" || code === "EBADNAME")) {
      return { _tag: "NoAnswer" }
    }
    // A name without a dot may be known through the system's search list. No customer owns such a name.
    return name.includes(".") ? { _tag: "Unknown" } : this.#askSystem(name)
  }

  async #askSystem(name: string): Promise<Resolution> {
    try {
      const found = await lookup(name, { all: true, order: "ipv4first" })
      return { _tag: "Found", addresses: found.map(({ address }) => address), local: false }
    } catch (error) {
      return codeOf(error) === "ENOTFOUND" ? { _tag: "Unknown" } : { _tag: "NoAnswer" }
    }
  }

  #readHosts(): Promise<ReadonlyMap<string, ReadonlyArray<string>>> {
    const now = performance.now()
    if (this.#hosts === null || this.#hosts.until <= now) {
      // A system without the file has no local names.
      const read = readFile(this.#hostsFile, "utf8").then(parseHosts, () => new Map<string, ReadonlyArray<string>>())
      this.#hosts = { until: now + HOSTS_MS, read }
    }
    return this.#hosts.read
  }
}
