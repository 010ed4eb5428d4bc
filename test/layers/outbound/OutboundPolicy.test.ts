import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer as settingsLayer } from "../../../layers/config/Settings.ts"
import { layerWith } from "../../../layers/outbound/OutboundPolicy.ts"
import { OutboundPolicy } from "../../../services/ports/outbound/OutboundPolicy.ts"
import type { DnsRecord } from "../../DnsServer.ts"
import { makeDnsServer } from "../../DnsServer.ts"

/** A policy that asks the test's own name server and hosts file. */
const policy = (
  options: {
    readonly opened?: string
    readonly records?: Record<string, DnsRecord>
    readonly hosts?: string
    readonly deadlineMs?: number
    readonly cacheMs?: number
  } = {}
) =>
  Effect.gen(function* () {
    const dns = yield* makeDnsServer
    for (const [name, record] of Object.entries(options.records ?? {})) dns.records.set(name, record)
    const directory = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-hosts-"))),
      (path) => Effect.promise(() => rm(path, { recursive: true }))
    )
    const hostsFile = join(directory, "hosts")
    yield* Effect.promise(() => writeFile(hostsFile, options.hosts ?? ""))
    const live = layerWith({
      servers: [dns.address],
      hostsFile,
      deadlineMs: options.deadlineMs ?? 5000,
      cacheMs: options.cacheMs ?? 0
    })
    const it = yield* Effect.provide(
      OutboundPolicy,
      Layer.provide(live, settingsLayer({ OUTBOUND_ALLOW_CIDRS: options.opened }))
    )
    return { ...it, dns }
  })

/** First and last addresses of each denied range, and what stands just outside of it when that is public. */
const DENIED_V4 = [
  ["0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
  ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
  ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
  ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
  ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
  ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
  ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
  ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
  ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
  ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
  ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
  ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
  ["224.0.0.0", "239.255.255.255", "223.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
  ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"]
] as const

const DENIED_V6 = [
  "::",
  "::1",
  "::ffff:8.8.8.8",
  "::ffff:127.0.0.1",
  "::127.0.0.1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::8.8.8.8",
  "100::1",
  "1fff:ffff::1",
  "2001::1",
  "2001:1ff:ffff::1",
  "2001:db8::1",
  "2001:db8:ffff::1",
  "2002:7f00:1::1",
  "2002:808:808::1",
  "3ffe::1",
  "3fff::1",
  "3fff:fff:ffff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fec0::1",
  "ff02::1"
]

const ALLOWED_V6 = ["2001:200::1", "2001:4860:4860::8888", "2606:4700::1111", "2a00::1", "3fff:1000::1", "2003::1"]

describe("OutboundPolicy", () => {
  it.effect("allows IPv4 addresses up to the very borders of the denied ranges", () =>
    Effect.gen(function* () {
      const { allows } = yield* policy()
      for (const [first, last, ...outside] of DENIED_V4) {
        assert.isFalse(allows(first), first)
        assert.isFalse(allows(last), last)
        for (const address of outside) assert.isTrue(allows(address), address)
      }
    })
  )

  it.effect("allows of IPv6 only what is public", () =>
    Effect.gen(function* () {
      const { allows } = yield* policy()
      for (const address of DENIED_V6) assert.isFalse(allows(address), address)
      for (const address of ALLOWED_V6) assert.isTrue(allows(address), address)
    })
  )

  it.effect("does not allow what it cannot read as one plain address", () =>
    Effect.gen(function* () {
      const { allows } = yield* policy()
      for (const text of [
        "",
        "example.com",
        "8.8.8",
        "08.8.8.8",
        "0x8.8.8.8",
        "134744072",
        "2606:4700::1%eth0",
        "8.8.8.8 "
      ]) {
        assert.isFalse(allows(text), JSON.stringify(text))
      }
    })
  )

  it.effect("refuses loopback and private literals in every notation, without asking a name server", () =>
    Effect.gen(function* () {
      const { check, checkHost, dns } = yield* policy()
      const hosts = [
        "127.0.0.1",
        "127.1",
        "127.0.0.1.",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "１２７.0.0.1",
        "127。0。0。1",
        "%31%32%37.0.0.1",
        "0",
        "0x0",
        "169.254.169.254",
        "0xa9fea9fe",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::ffff:a9fe:a9fe]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]"
      ]
      for (const host of hosts) {
        const refused = yield* Effect.flip(check(`http://${host}/webhook`))
        assert.strictEqual(refused.message, "the address is not allowed: it must be public", host)
        assert.isFalse(refused.transient)
        if (!host.startsWith("%"))
          assert.strictEqual((yield* Effect.flip(checkHost(host, 25))).message, refused.message)
      }
      assert.deepStrictEqual(dns.questions, [])
    })
  )

  it.effect("refuses other protocols, user info, port 0 and what is no URL", () =>
    Effect.gen(function* () {
      const { check } = yield* policy()
      const message = (url: string, protocols?: ReadonlyArray<"http:" | "https:">) =>
        Effect.map(Effect.flip(check(url, protocols)), (refused) => refused.message)
      for (const url of [
        "ftp://1.1.1.1/",
        "file:///etc/passwd",
        "gopher://1.1.1.1:25/",
        "javascript:alert(1)",
        "data:,x"
      ]) {
        assert.strictEqual(yield* message(url), "the address must start with http:// or https://")
      }
      assert.strictEqual(yield* message("http://1.1.1.1/", ["https:"]), "the address must start with https://")
      for (const url of ["http://user@1.1.1.1/", "http://:pass@1.1.1.1/", "http://127.0.0.1@1.1.1.1/"]) {
        assert.strictEqual(yield* message(url), "the address must not contain a user or a password")
      }
      assert.strictEqual(yield* message("http://1.1.1.1:0/"), "the port is not allowed")
      for (const url of ["", "1.1.1.1", "http://", "http://a b/", "http://[::1/", "http://1.1.1.1:99999/"]) {
        assert.strictEqual(yield* message(url), "the address is not a URL", url)
      }
    })
  )

  it.effect("pins a public literal, with the port that the URL means", () =>
    Effect.gen(function* () {
      const { check } = yield* policy()
      const v4 = yield* check("http://1.1/x")
      assert.deepInclude(v4, { address: "1.0.0.1", family: 4, port: 80 })
      const v6 = yield* check("https://[2606:4700::1111]/x")
      assert.deepInclude(v6, { address: "2606:4700::1111", family: 6, port: 443 })
      assert.strictEqual((yield* check("https://1.1.1.1:8443/x")).port, 8443)
    })
  )

  it.effect("pins the addresses of a name and keeps the name", () =>
    Effect.gen(function* () {
      const { check } = yield* policy({
        records: { "webhooks.example.com": ["2606:4700::1111", "93.184.216.34", "1.1.1.1"] }
      })
      const checked = yield* check("https://Webhooks.Example.com/a?b=c")
      assert.strictEqual(checked.url.href, "https://webhooks.example.com/a?b=c")
      assert.deepStrictEqual(checked.addresses, ["93.184.216.34", "1.1.1.1", "2606:4700::1111"])
      assert.deepInclude(checked, { address: "93.184.216.34", family: 4, port: 443 })
    })
  )

  it.effect("refuses a name when any one of its addresses is not public", () =>
    Effect.gen(function* () {
      const records = {
        "a.example.com": ["93.184.216.34", "10.0.0.1"],
        "b.example.com": ["93.184.216.34", "::1"],
        "c.example.com": ["2606:4700::1111", "::ffff:10.0.0.1"],
        "d.example.com": ["169.254.169.254"]
      }
      const { check, checkHost } = yield* policy({ records })
      for (const name of Object.keys(records)) {
        const refused = yield* Effect.flip(check(`http://${name}/`))
        assert.strictEqual(refused.message, "the address is not allowed: it must be public", name)
        assert.isFalse(refused.transient)
        assert.strictEqual((yield* Effect.flip(checkHost(name, 587)))._tag, "OutboundRefused")
      }
    })
  )

  it.effect("checks again on every call, so that a name that changes its mind is caught", () =>
    Effect.gen(function* () {
      const { check, dns } = yield* policy({ records: { "rebind.example.com": ["93.184.216.34"] } })
      yield* check("http://rebind.example.com/")
      dns.records.set("rebind.example.com", ["127.0.0.1"])
      assert.isFalse((yield* Effect.flip(check("http://rebind.example.com/"))).transient)
    })
  )

  it.effect("uses a fresh answer again instead of asking for each call", () =>
    Effect.gen(function* () {
      const { check, dns } = yield* policy({ records: { "webhooks.example.com": ["93.184.216.34"] }, cacheMs: 60_000 })
      yield* Effect.all(
        Array.from({ length: 20 }, () => check("http://webhooks.example.com/")),
        { concurrency: "unbounded" }
      )
      yield* check("http://webhooks.example.com/other")
      assert.sameMembers(dns.questions, ["A webhooks.example.com", "AAAA webhooks.example.com"])
    })
  )

  it.live("tells names that do not exist from name servers that do not answer in time", () =>
    Effect.gen(function* () {
      const { check } = yield* policy({
        records: { "silent.example.com": "silent", "broken.example.com": "broken", "empty.example.com": [] },
        deadlineMs: 200
      })
      const refusal = (name: string) => Effect.flip(check(`http://${name}/`))
      assert.deepInclude(yield* refusal("nobody.example.com"), {
        message: "the host name does not exist",
        transient: true
      })
      assert.deepInclude(yield* refusal("empty.example.com"), {
        message: "the host name does not exist",
        transient: true
      })
      for (const name of ["silent.example.com", "broken.example.com"]) {
        assert.deepInclude(yield* refusal(name), { message: "the host name could not be resolved", transient: true })
      }
    })
  )

  it.effect("refuses, without asking anybody, names that no public host can have", () =>
    Effect.gen(function* () {
      const closed = yield* policy()
      const opened = yield* policy({ opened: "10.1.0.0/16" })
      const loopback = yield* policy({ opened: "127.0.0.0/8" })
      const said = (it: typeof closed, host: string) => it.refusal(`https://${host}/x`)?.message ?? null
      const long = `${"a".repeat(63)}.`.repeat(4)
      const never = [
        "push.invalid",
        "invalid",
        "push.onion",
        "push.alt",
        `${"a".repeat(64)}.com`,
        `${long}com`,
        "a..example.com",
        ".example.com",
        "example.com.."
      ]
      for (const host of never) {
        assert.strictEqual(said(closed, host), "the host name cannot exist", host)
        assert.strictEqual(said(opened, host), "the host name cannot exist", host)
      }
      for (const host of [
        "push",
        "push.",
        "push.local",
        "PUSH.LOCAL",
        "nas.home.arpa",
        "x.internal",
        "x.test",
        "x.example"
      ]) {
        assert.strictEqual(said(closed, host), "the host name is not a public one", host)
        assert.isNull(said(opened, host), host)
      }
      for (const host of ["localhost", "localhost.", "a.localhost"]) {
        assert.strictEqual(said(closed, host), "the address is not allowed: it must be public", host)
        assert.strictEqual(said(opened, host), "the address is not allowed: it must be public", host)
        assert.isNull(said(loopback, host), host)
      }
      const good = ["example.com", "example.com.", "fcm.googleapis.com", "xn--bcher-kva.example.org", "invalid.com"]
      for (const host of [...good, `${"a".repeat(63)}.com`, "93.184.216.34"]) {
        assert.isNull(said(closed, host), host)
      }
      assert.deepStrictEqual(closed.dns.questions, [])
    })
  )

  it.effect("tells names of a private network that are there from others no more than it asks for them", () =>
    Effect.gen(function* () {
      const { check, checkHost, dns } = yield* policy({
        records: { "db.internal": ["10.11.12.13"], "db.corp.local": ["10.11.12.14"] },
        hosts: "10.11.12.15 vm\n"
      })
      for (const host of ["db.internal", "no.internal", "db.corp.local", "no.corp.local", "vm", "nobody"]) {
        for (const refused of [yield* Effect.flip(check(`http://${host}/`)), yield* Effect.flip(checkHost(host, 25))]) {
          assert.deepStrictEqual([refused.message, refused.transient], ["the host name is not a public one", false])
        }
      }
      assert.deepStrictEqual(dns.questions, [])
    })
  )

  it.effect("names no resolved address in a refusal", () =>
    Effect.gen(function* () {
      const { check } = yield* policy({ records: { "in.example.com": ["10.11.12.13"] } })
      assert.notInclude(JSON.stringify(yield* Effect.flip(check("http://in.example.com/"))), "10.11")
    })
  )

  it.effect("opens the ranges that the operator names, and no others", () =>
    Effect.gen(function* () {
      const { allows, check } = yield* policy({
        opened: "127.0.0.0/8, 10.1.0.0/16, fd00::/8",
        records: { "in.example.com": ["10.1.2.3"], "half.example.com": ["10.1.2.3", "10.2.0.1"] }
      })
      for (const address of ["127.0.0.1", "10.1.255.255", "fd00::1", "1.1.1.1"]) assert.isTrue(allows(address), address)
      for (const address of ["10.2.0.1", "::1", "::ffff:127.0.0.1", "192.168.0.1"])
        assert.isFalse(allows(address), address)
      assert.strictEqual((yield* check("http://in.example.com/")).address, "10.1.2.3")
      assert.isFalse((yield* Effect.flip(check("http://half.example.com/"))).transient)
    })
  )

  it.effect("judges a NAT64 address by the IPv4 address inside, once the operator opened the prefix", () =>
    Effect.gen(function* () {
      const wellKnown = yield* policy({ opened: "64:ff9b::/96" })
      assert.isTrue(wellKnown.allows("64:ff9b::8.8.8.8"))
      assert.isFalse(wellKnown.allows("64:ff9b::127.0.0.1"))
      assert.isFalse(wellKnown.allows("64:ff9b::a9fe:a9fe"))
      assert.isFalse(wellKnown.allows("64:ff9b:1::8.8.8.8"))
      const local = yield* policy({ opened: "64:ff9b:1::/48" })
      assert.isTrue(local.allows("64:ff9b:1:808:8:800::"))
      assert.isFalse(local.allows("64:ff9b:1:7f00:0:100::"))
      const both = yield* policy({ opened: "64:ff9b::/96,10.0.0.0/8" })
      assert.isTrue(both.allows("64:ff9b::10.1.2.3"))
    })
  )

  it.effect("knows localhost and the names of the hosts file, when the operator opened their addresses", () =>
    Effect.gen(function* () {
      const hosts =
        "# local\n127.0.0.1\tlocalhost receiver.test # me\n::1 localhost\n192.168.7.7 other.test\nnonsense line\n"
      const { check, checkHost, dns } = yield* policy({ opened: "127.0.0.0/8", hosts })
      for (const host of ["localhost", "LOCALHOST", "localhost.", "receiver.test"]) {
        assert.deepStrictEqual((yield* check(`http://${host}:9000/`)).addresses, ["127.0.0.1"], host)
      }
      assert.deepStrictEqual(yield* checkHost("localhost", 1025), { address: "127.0.0.1", family: 4 })
      assert.isFalse((yield* Effect.flip(check("http://other.test/"))).transient)
      assert.deepStrictEqual(dns.questions, [])

      const closed = yield* policy({ hosts })
      assert.isFalse((yield* Effect.flip(closed.check("http://localhost/"))).transient)
      const bare = yield* policy({ opened: "127.0.0.0/8" })
      assert.strictEqual((yield* bare.check("http://app.localhost/")).address, "127.0.0.1")
      assert.deepStrictEqual(bare.dns.questions, [])
    })
  )

  it.effect("checks bare hosts and ports for protocols without a URL", () =>
    Effect.gen(function* () {
      const { checkHost } = yield* policy({ records: { "smtp.example.com": ["93.184.216.34"] } })
      assert.deepStrictEqual(yield* checkHost("smtp.example.com", 587), { address: "93.184.216.34", family: 4 })
      assert.deepStrictEqual(yield* checkHost("2606:4700::1111", 25), { address: "2606:4700::1111", family: 6 })
      assert.deepStrictEqual(yield* checkHost("[2606:4700::1111]", 25), { address: "2606:4700::1111", family: 6 })
      for (const port of [0, -1, 65_536, 1.5, Number.NaN]) {
        assert.strictEqual((yield* Effect.flip(checkHost("smtp.example.com", port))).message, "the port is not allowed")
      }
      for (const host of [
        "",
        "a b",
        "user@1.1.1.1",
        "1.1.1.1/x",
        "1.1.1.1:25",
        "[::1]:25",
        "1.1.1.1#",
        "a\r\nb",
        "%31.1.1.1"
      ]) {
        const refused = yield* Effect.flip(checkHost(host, 25))
        assert.strictEqual(refused.message, "the host is not a host name or an address", JSON.stringify(host))
      }
    })
  )
})
