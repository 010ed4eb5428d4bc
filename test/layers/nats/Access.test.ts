import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { read } from "../../../layers/config/Settings.ts"
import { makeConnection } from "../../../layers/nats/Connection.ts"
import { makeAuthority, makeCertificates } from "../../../simulators/Certificates.ts"
import { makeNatsServerAt } from "../../NatsServer.ts"
import { makeNkey, makeOperator } from "./Jwt.ts"

/* Every way to sign in that NATS has, against a real server of each kind: the right one connects, a wrong one says why. */

class Folder extends Context.Service<Folder, string>()("heliograph/test/nats/Folder") {}

const FOLDER = Layer.effect(
  Folder,
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-access-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
)

const file = Effect.fnUntraced(function* (name: string, text: string) {
  const path = join(yield* Folder, name)
  yield* Effect.promise(() => writeFile(path, text))
  return path
})

/** "up", or why a node with these settings is not connected. */
const attempt = (env: Record<string, string>) =>
  Effect.gen(function* () {
    const { natsAccess, natsUrl } = read(env)
    const connection = yield* makeConnection(natsUrl!, 3000, natsAccess)
    const first = yield* Effect.callback<string>((resume) => {
      connection.onUp(() => resume(Effect.succeed("up")))
      const look = setInterval(() => {
        const { message } = connection.why()
        if (!message.includes("no answer")) resume(Effect.succeed(message))
      }, 5)
      return Effect.sync(() => clearInterval(look))
    })
    return first
  }).pipe(Effect.scoped)

const server = (more: ReadonlyArray<string>) => makeNatsServerAt(tmpdir(), more)
const at = (url: string) => `NATS at ${url.replace("nats://", "")}: `

layer(FOLDER, { excludeTestServices: true, timeout: 180_000 })("a server of NATS that wants", (it) => {
  it.effect("a user and a password gets them from NATS_URL, or from settings of their own", () =>
    Effect.gen(function* () {
      const { url } = yield* server(["--user", "helio", "--pass", "p@ss/1"])
      const NATS_URL = url.replace("//", "//helio:p%40ss%2F1@")
      expect(yield* attempt({ NATS_URL })).toBe("up")
      expect(yield* attempt({ NATS_URL: url, NATS_USER: "helio", NATS_PASSWORD: "p@ss/1" })).toBe("up")
      const wrong = yield* attempt({ NATS_URL: url, NATS_USER: "helio", NATS_PASSWORD: "hush" })
      expect(wrong).toContain(`${at(url)}it refuses what NATS_USER and NATS_PASSWORD signs in with`)
      expect(wrong).not.toContain("hush")
      expect(yield* attempt({ NATS_URL: url })).toContain(`${at(url)}it refuses the user or the password of NATS_URL`)
    }).pipe(Effect.scoped)
  )

  it.effect("a token", () =>
    Effect.gen(function* () {
      const { url } = yield* server(["--auth", "tok3n"])
      expect(yield* attempt({ NATS_URL: url.replace("//", "//tok3n@") })).toBe("up")
      expect(yield* attempt({ NATS_URL: url, NATS_TOKEN: "tok3n" })).toBe("up")
      const wrong = yield* attempt({ NATS_URL: url, NATS_TOKEN: "hush" })
      expect(wrong).toContain(`${at(url)}it refuses what NATS_TOKEN signs in with`)
      expect(wrong).not.toContain("hush")
    }).pipe(Effect.scoped)
  )

  it.effect("an nkey", () =>
    Effect.gen(function* () {
      const { publicKey, seed } = makeNkey()
      const config = yield* file("nkey.conf", `authorization: { users: [ { nkey: ${publicKey} } ] }`)
      const { url } = yield* server(["--config", config])
      expect(yield* attempt({ NATS_URL: url, NATS_NKEY_FILE: yield* file("right.nk", `${seed}\n`) })).toBe("up")
      const NATS_NKEY_FILE = yield* file("wrong.nk", makeNkey().seed)
      expect(yield* attempt({ NATS_URL: url, NATS_NKEY_FILE })).toContain(
        `${at(url)}it refuses what NATS_NKEY_FILE signs in with`
      )
    }).pipe(Effect.scoped)
  )

  it.effect("credentials of an operator's account", () =>
    Effect.gen(function* () {
      const operator = makeOperator()
      const { url } = yield* server(["--config", yield* file("operator.conf", operator.config)])
      expect(yield* attempt({ NATS_URL: url, NATS_CREDS_FILE: yield* file("right.creds", operator.creds) })).toBe("up")
      const NATS_CREDS_FILE = yield* file("wrong.creds", operator.strangersCreds)
      expect(yield* attempt({ NATS_URL: url, NATS_CREDS_FILE })).toContain(
        `${at(url)}it refuses what NATS_CREDS_FILE signs in with`
      )
    }).pipe(Effect.scoped)
  )

  it.effect("TLS, with an authority of one's own, and a certificate of the client", () =>
    Effect.gen(function* () {
      const authority = makeAuthority()
      const [ours, theirs, stranger] = [authority.issue(), authority.issue(["node"]), makeCertificates()]
      const NATS_TLS_CA_FILE = yield* file("ca.pem", ours.ca)
      const tls = ["--tlscert", yield* file("server.pem", ours.cert), "--tlskey", yield* file("server.key", ours.key)]
      const plain = yield* server([])
      const one = yield* server(["--tls", ...tls])
      const both = yield* server(["--tlsverify", ...tls, "--tlscacert", NATS_TLS_CA_FILE])
      const NATS_TLS_CERT_FILE = yield* file("client.pem", theirs.cert)
      const NATS_TLS_KEY_FILE = yield* file("client.key", theirs.key)
      const client = { NATS_TLS_CA_FILE, NATS_TLS_CERT_FILE, NATS_TLS_KEY_FILE }

      expect(yield* attempt({ NATS_URL: one.url, NATS_TLS_CA_FILE })).toBe("up")
      expect(yield* attempt({ NATS_URL: both.url, ...client })).toBe("up")
      expect(yield* attempt({ NATS_URL: one.url.replace("nats:", "tls:") })).toContain(
        `${at(one.url)}its certificate comes from an authority that is not trusted: name that one with NATS_TLS_CA_FILE`
      )
      expect(yield* attempt({ NATS_URL: plain.url, NATS_TLS_CA_FILE })).toContain(
        `${at(plain.url)}it offers no TLS, which tls:// in NATS_URL and NATS_TLS_* demand`
      )
      const wants = "it wants a client certificate that it trusts: see NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE"
      expect(yield* attempt({ NATS_URL: both.url, NATS_TLS_CA_FILE })).toContain(`${at(both.url)}${wants}`)
      const strangers = {
        NATS_TLS_CERT_FILE: yield* file("stranger.pem", stranger.cert),
        NATS_TLS_KEY_FILE: yield* file("stranger.key", stranger.key)
      }
      expect(yield* attempt({ NATS_URL: both.url, NATS_TLS_CA_FILE, ...strangers })).toContain(
        `${at(both.url)}${wants}`
      )
    }).pipe(Effect.scoped)
  )
})
