import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import * as Settings from "../../../layers/config/Settings.ts"
import { layer, DatabaseTimeout } from "../../../layers/postgres/server/Database.ts"
import { locate } from "../../../layers/postgres/server/EmbeddedBinaries.ts"
import { makeAuthority } from "../../../simulators/Certificates.ts"
import { makePostgresServer } from "../../PostgresServer.ts"

const TIMEOUT = 240_000
const MASTER_KEY = "00".repeat(32)

const problemOf = (url: string): string | undefined => {
  try {
    Settings.read({ DATABASE_URL: url, MASTER_KEY })
  } catch (error) {
    return (error as Settings.SettingsError).problems.join("\n")
  }
}

/** What a connection of this URL finds: whether it is encrypted; or why there is none. */
const connected = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<{ readonly ssl: boolean; readonly local: boolean }>`
      SELECT ssl, inet_server_addr() IS NULL AS local FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
    return row!.local ? "socket" : row!.ssl ? "encrypted" : "plain"
  }).pipe(
    Effect.provide(
      layer.pipe(
        Layer.provide(Settings.layer({ DATABASE_URL: url, MASTER_KEY })),
        Layer.provide(Layer.succeed(DatabaseTimeout, 0))
      )
    ),
    Effect.catch((error) => Effect.succeed(`refused: ${error.message}`))
  )

describe("DATABASE_URL", () => {
  it.live(
    "is understood as libpq understands it, over TLS, without it, and by a Unix socket",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "heliograph-tls-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        chmodSync(folder, 0o755)
        const binaries = yield* locate(folder)
        const file = (name: string, text: string) => {
          writeFileSync(join(folder, name), text, { mode: 0o600 })
          return join(folder, name)
        }
        // Made out to a name by which nobody here comes: only who asks for the name minds.
        const server = makeAuthority().issue(["db.example"])
        const [ca, other] = [file("ca.pem", server.ca), file("other.pem", makeAuthority().issue(["db.example"]).ca)]
        const [cert, key] = [file("server.pem", server.cert), file("server.key", server.key)]
        const sockets = join(folder, "sockets")
        mkdirSync(sockets)
        for (const path of [cert, key, sockets]) binaries.own(path)
        const { port } = yield* makePostgresServer({
          settings: ["ssl=on", `ssl_cert_file=${cert}`, `ssl_key_file=${key}`, `unix_socket_directories=${sockets}`]
        })
        const at = (parameters: string, scheme = "postgres") =>
          connected(`${scheme}://heliograph:p%40ss%2Fword@127.0.0.1:${port}/postgres?${parameters}`)
        expect(yield* at("")).toBe("plain")
        expect(yield* at("sslmode=disable", "postgresql")).toBe("plain")
        expect(yield* at("sslmode=require&application_name=shop&connect_timeout=7")).toBe("encrypted")
        expect(yield* at("sslmode=no-verify")).toBe("encrypted")
        expect(yield* at(`sslmode=require&sslrootcert=${ca}`)).toBe("encrypted")
        expect(yield* at(`sslmode=require&sslrootcert=${other}`)).toMatch(/^refused/)
        expect(yield* at(`sslmode=verify-ca&sslrootcert=${ca}`)).toBe("encrypted")
        expect(yield* at(`sslmode=verify-ca&sslrootcert=${other}`)).toMatch(/^refused/)
        expect(yield* at("sslmode=verify-ca")).toMatch(/^refused/)
        expect(yield* at(`sslmode=verify-full&sslrootcert=${ca}`)).toMatch(/^refused/)
        // Each says which parameter is the way out.
        expect(yield* at("sslmode=verify-ca")).toMatch(/authority that is not trusted: .* sslrootcert in DATABASE_URL$/)
        expect(yield* at(`sslmode=verify-full&sslrootcert=${ca}`)).toMatch(/for another name: .* sslmode=verify-ca/)
        const bare = yield* makePostgresServer()
        expect(yield* connected(`${bare.url}?sslmode=require`)).toMatch(/it offers no TLS, .*leave sslmode out$/)
        expect(problemOf(`postgres://a/x?sslmode=require&sslcert=${ca}&sslkey=${ca}`)).toContain("cannot be used")
        expect(problemOf(`postgres://a/x?sslmode=require&sslcert=${cert}&sslkey=${key}`)).toBeUndefined()
        expect(yield* connected(`postgres://heliograph@/postgres?host=${sockets}&port=${port}`)).toBe("socket")
        expect(yield* connected(`postgresql:///postgres?user=heliograph&host=${sockets}&port=${port}`)).toBe("socket")
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.each([
    ["postgres://a,b/x", "several hosts"],
    ["postgres://a:1,b:2/x", "several hosts"],
    ["postgres://a/x?host=b,c", "several hosts"],
    ["postgres://a/x?sslmode=maybe", "sslmode=maybe"],
    ["postgres://a/x?pgbouncer=true", "pgbouncer"],
    ["postgres://a/x?target_session_attrs=read-write", "target_session_attrs"],
    ["postgres://a/x?sslmode=require&sslrootcert=/nowhere/ca.pem", "/nowhere/ca.pem"],
    ["postgres://a/x?sslrootcert=system", "without an sslmode"],
    ["postgres://a/x?connect_timeout=soon", "connect_timeout"],
    ["postgres://a/x?port=70000", "port"],
    ["postgres://user:p@off-secret/w@127.0.0.1:5432/x", "as %40"],
    ["postgres://user:p@off-secret@127.0.0.1/x", "as %40"],
    ["postgres://user:50%off-secret@a/x", "write the character % as %25"],
    ["mysql://a/x", "starts with postgres:// or postgresql://"]
  ])("is refused in words where it cannot be followed: %s", (url, words) => {
    expect(problemOf(url)).toMatch(/^DATABASE_URL /)
    expect(problemOf(url)).toContain(words)
    expect(problemOf(url)).not.toContain("off-secret")
  })

  it.each([
    "postgres://user:p%40ss@[::1]:5433/x",
    "postgresql://user@db.example/x?sslmode=prefer&application_name=shop&connect_timeout=0",
    "postgres://user@%2Fvar%2Frun%2Fpostgresql/x",
    "postgres:///x?host=/var/run/postgresql"
  ])("is taken: %s", (url) => expect(problemOf(url)).toBeUndefined())
})
