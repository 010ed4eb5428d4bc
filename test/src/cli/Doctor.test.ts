import { expect, it } from "@effect/vitest"
import { RetentionPolicy } from "@nats-io/jetstream"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { freshDatabase } from "../../Database.ts"
import { client, topic } from "../../layers/nats/Node.ts"
import { makeNatsServer, makeNatsServerAt } from "../../NatsServer.ts"
import { lastingPort } from "../../Ports.ts"
import { command, folder, query, silentServer } from "./Command.ts"

const key = () => randomBytes(32).toString("hex")
const TIMEOUT = 240_000

/** The settings of a doctor on a database of its own, which `migrate` has made ready. */
const ready = Effect.gen(function* () {
  const { url } = yield* freshDatabase()
  return { DATABASE_URL: url, MASTER_KEY: key(), DATA_DIR: yield* folder }
})

/** Each new table is refused as PostgreSQL does it when its disk is full. */
const FULL_FOR_TABLES = `
  CREATE FUNCTION full_disk() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE 'could not extend file "base/1": No space left on device' USING ERRCODE = 'disk_full';
  END $$;
  CREATE EVENT TRIGGER full_disk ON ddl_command_end EXECUTE FUNCTION full_disk()`

// Beside each other: most of the time they wait.
describe.concurrent("doctor", () => {
  it.live(
    "ends by itself when NATS answers",
    () =>
      Effect.gen(function* () {
        const nats = yield* makeNatsServer
        const { code, out } = yield* command(["doctor"], { ...(yield* ready), NATS_URL: nats.url })
        expect(out).toContain("credentials")
        expect(code).toBe(0)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "says that NATS has no room for the streams that nodes will make, though it takes messages",
    () =>
      Effect.gen(function* () {
        const config = join(yield* folder, "nats.conf")
        writeFileSync(config, "jetstream { max_file_store: 300MB }\n")
        const nats = yield* makeNatsServerAt(tmpdir(), ["--config", config])
        const { code, out } = yield* command(["doctor"], { ...(yield* ready), NATS_URL: nats.url })
        expect(out).toMatch(/ok +queue +answers/)
        expect(out).toMatch(/FAIL +queue streams +NATS at \S+: it has no room: insufficient storage.* 512 MiB/)
        expect(code).toBe(1)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "says that one server of NATS is not several, whether or not its streams are there already",
    () =>
      Effect.gen(function* () {
        const nats = yield* makeNatsServer
        const env = { DATA_DIR: join(yield* folder, ".data"), NATS_URL: nats.url }
        const none = yield* command(["doctor"], { ...env, NATS_REPLICAS: "3" })
        expect(none.out).toMatch(
          /^FAIL +queue +NATS at \S+: it belongs to no cluster, and NATS_REPLICAS asks for several/m
        )
        expect(none.code).toBe(1)
        yield* command(["doctor"], { ...env, NATS_REPLICAS: "1" })
        const there = yield* command(["doctor"], { ...env, NATS_REPLICAS: "3" })
        expect(there.out).toMatch(/^WARN +queue streams +all 8 are there; NATS_REPLICAS asks for several servers/m)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "makes the streams of NATS that are missing, and leaves the others as they are",
    () =>
      Effect.gen(function* () {
        const nats = yield* makeNatsServer
        const { manager } = yield* client(nats)
        const of = { subjects: [topic.subject], max_msgs: 7, retention: RetentionPolicy.Workqueue }
        yield* Effect.promise(() => manager.streams.add({ name: topic.stream, ...of }))
        const env = { ...(yield* ready), NATS_URL: nats.url }
        expect((yield* command(["doctor"], env)).out).toMatch(
          /ok +queue streams +all 8 are there, 7 of them made just now/
        )
        expect((yield* command(["doctor"], env)).out).toMatch(/ok +queue streams +all 8 are there\n/)
        const { config } = yield* Effect.promise(() => manager.streams.info(topic.stream))
        expect(config).toMatchObject(of)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "warns of mails that would be lost, because there is neither a mail server nor a folder for them",
    () =>
      Effect.gen(function* () {
        const env = yield* ready
        const written = yield* command(["doctor"], env)
        expect(written.out).not.toContain("no SMTP_URL")
        expect(existsSync(join(env.DATA_DIR, "mail"))).toBe(false)
        writeFileSync(join(env.DATA_DIR, "mail"), "")
        const { code, out } = yield* command(["doctor"], env)
        expect(out).toContain(
          `no SMTP_URL, and DATA_DIR ${env.DATA_DIR} cannot be written: codes by mail would be lost (${env.DATA_DIR}/mail is no folder)`
        )
        expect(out).toMatch(/^WARN +mail /m)
        expect(code).toBe(0)
        for (const more of [{ SMTP_URL: "smtp://mail.example:25" }, { ROLES: "dispatch" }]) {
          expect((yield* command(["doctor"], { ...env, ...more })).out).not.toContain("no SMTP_URL")
        }
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "says that there is no data yet, and makes none",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, ".data")
        const { code, out } = yield* command(["doctor"], { DATA_DIR: dataDir })
        expect(existsSync(dataDir)).toBe(false)
        expect(out).toMatch(new RegExp(`WARN +database +There is none yet in ${dataDir}`))
        expect(code).toBe(0)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "warns of each variable whose name looks like a misspelt setting",
    () =>
      Effect.gen(function* () {
        const DATA_DIR = join(yield* folder, ".data")
        const misspelt = { WEBHOK_CONCURRENCY: "8", RATE_LIMIT_DEVICE: "5/1" }
        const { code, out } = yield* command(["doctor"], { DATA_DIR, HOME: DATA_DIR, ...misspelt })
        const warnings = out.split("\n").filter((line) => line.includes("is no setting"))
        expect(warnings).toEqual([
          expect.stringMatching(
            /^WARN +settings +WEBHOK_CONCURRENCY is no setting; perhaps WEBHOOK_CONCURRENCY is meant$/
          ),
          expect.stringMatching(
            /^WARN +settings +RATE_LIMIT_DEVICE is no setting; perhaps RATE_LIMIT_DEVICES is meant$/
          )
        ])
        expect(code).toBe(0)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "is not the only one to warn of them: a service that starts does, before it waits for anything",
    () =>
      Effect.gen(function* () {
        const { port } = yield* silentServer
        const env = {
          ACCEPT_LINGER: "10",
          DATABASE_URL: `postgres://heliograph@127.0.0.1:${port}/helio`,
          MASTER_KEY: key(),
          PORT: String(yield* lastingPort)
        }
        const when = (printed: string) => printed.includes("Waiting for the database")
        const { err } = yield* command(["serve"], env, { name: "SIGTERM", when })
        const lines = err.split("\n").filter((line) => line.includes("is no setting"))
        expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
          { level: "warn", message: "ACCEPT_LINGER is no setting; perhaps ACCEPT_LINGER_MS is meant" }
        ])
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "warns of networks that leave nobody outside",
    () =>
      Effect.gen(function* () {
        const DATA_DIR = join(yield* folder, ".data")
        const wide = yield* command(["doctor"], {
          DATA_DIR,
          TRUSTED_PROXIES: "10.0.0.0/8,0.0.0.0/0",
          OUTBOUND_ALLOW_CIDRS: "::/0"
        })
        expect(wide.out).toMatch(/^WARN +settings +TRUSTED_PROXIES names every address/m)
        expect(wide.out).toMatch(/^WARN +settings +OUTBOUND_ALLOW_CIDRS names every address/m)
        expect(wide.code).toBe(0)
        const narrow = { TRUSTED_PROXIES: "10.0.0.0/8", OUTBOUND_ALLOW_CIDRS: "10.0.0.0/8,::1" }
        expect((yield* command(["doctor"], { DATA_DIR, ...narrow })).out).not.toContain("names every address")
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "says that this machine has no such HOST, as a node does that starts; a port that is taken may be the node's",
    () =>
      Effect.gen(function* () {
        const DATA_DIR = join(yield* folder, ".data")
        for (const HOST of ["nowhere.invalid", "192.0.2.1"]) {
          const { code, out } = yield* command(["doctor"], { DATA_DIR, HOST })
          expect(out).toMatch(
            new RegExp(`^FAIL +address +Cannot listen at ${HOST}:8080: this machine does not have this address`, "m")
          )
          expect(code).toBe(1)
        }
        const { port } = yield* silentServer
        const taken = yield* command(["doctor"], { DATA_DIR, PORT: String(port) })
        expect([taken.code, taken.out]).toEqual([0, expect.not.stringContaining("Cannot listen")])
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "warns of sign-ins whose providers cannot lead back to BASE_URL",
    () =>
      Effect.gen(function* () {
        const env = { DATA_DIR: yield* folder, OAUTH_GITHUB_CLIENT_ID: "id", OAUTH_GITHUB_CLIENT_SECRET: "secret" }
        const plain = yield* command(["doctor"], { ...env, BASE_URL: "http://push.example.com" })
        expect([plain.code, plain.out]).toEqual([0, expect.stringMatching(/WARN {2}external sign-in .*HTTPS alone/)])
        const secure = yield* command(["doctor"], { ...env, BASE_URL: "https://push.example.com" })
        expect(secure.out).toMatch(/ok {4}external sign-in .*https:\/\/push\.example\.com\/api\/auth\/oauth/)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "asks NATS when there is no data yet, and makes none",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, ".data")
        const NATS_URL = `nats://127.0.0.1:${yield* lastingPort}`
        const { code, out } = yield* command(["doctor"], { DATA_DIR: dataDir, NATS_URL })
        expect(out).toMatch(/FAIL +queue +NATS at \S+: the connection is refused/)
        expect(out).toMatch(new RegExp(`WARN +database +There is none yet in ${dataDir}`))
        expect(code).toBe(1)
        const nats = yield* makeNatsServer
        const answered = yield* command(["doctor"], { DATA_DIR: dataDir, NATS_URL: nats.url })
        expect(answered.out).toMatch(/ok +queue +answers/)
        expect(answered.code).toBe(0)
        expect(existsSync(dataDir)).toBe(false)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "leaves a database that is not migrated as it is, and says what the next start will do",
    () =>
      Effect.gen(function* () {
        const env = yield* ready
        yield* query(env.DATABASE_URL, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        const { code, out } = yield* command(["doctor"], env)
        expect(out).toMatch(/WARN +database +answers, and is empty: the first start, or `migrate`, makes its tables/)
        const tables = yield* query(env.DATABASE_URL, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")
        expect(tables).toEqual([])
        expect(code).toBe(0)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "names the address and the cause when the database refuses, and no password",
    () =>
      Effect.gen(function* () {
        const port = yield* lastingPort
        const { code, err, out } = yield* command(["doctor"], {
          DATABASE_URL: `postgres://heliograph:hush-hush@127.0.0.1:${port}/helio`,
          MASTER_KEY: key()
        })
        expect(out).toMatch(
          new RegExp(`FAIL +database +PostgreSQL at 127.0.0.1:${port}, database helio: the connection is refused`)
        )
        expect(out).toContain("DATABASE_URL")
        expect(out + err).not.toContain("hush-hush")
        expect(code).toBe(1)
      }),
    TIMEOUT
  )

  it.live(
    "names the cause when the database does not know the password, or itself",
    () =>
      Effect.gen(function* () {
        const env = yield* ready
        const stranger = new URL(env.DATABASE_URL)
        stranger.password = "hush-hush"
        const refused = yield* command(["doctor"], { ...env, DATABASE_URL: stranger.href })
        expect(refused.out).toMatch(/FAIL +database .*refuses the user or the password of DATABASE_URL/)
        const elsewhere = new URL(env.DATABASE_URL)
        elsewhere.pathname = "/not_there"
        const missing = yield* command(["doctor"], { ...env, DATABASE_URL: elsewhere.href })
        expect(missing.out).toMatch(/FAIL +database .*there is no database "not_there"; create it/)
        expect([refused.code, missing.code]).toEqual([1, 1])
        expect(refused.out + refused.err).not.toContain("hush-hush")
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "names the cause when the database takes connections and is silent",
    () =>
      Effect.gen(function* () {
        const { port } = yield* silentServer
        const { code, out } = yield* command(["doctor"], {
          DATABASE_URL: `postgres://heliograph@127.0.0.1:${port}/helio`,
          MASTER_KEY: key()
        })
        expect(out).toMatch(new RegExp(`FAIL +database +PostgreSQL at 127.0.0.1:${port}, database helio: no answer`))
        expect(code).toBe(1)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "names the address and the cause when NATS refuses, is silent, or does not know the user",
    () =>
      Effect.gen(function* () {
        const env = yield* ready
        const port = yield* lastingPort
        const silent = yield* silentServer
        const guarded = yield* makeNatsServerAt(tmpdir(), ["--user", "helio", "--pass", "right"])
        const stranger = guarded.url.replace("nats://", "nats://helio:hush-hush@")
        const answers = yield* Effect.forEach(
          [`nats://127.0.0.1:${port}`, `nats://127.0.0.1:${silent.port}`, stranger],
          (NATS_URL) => command(["doctor"], { ...env, NATS_URL })
        )
        expect(answers[0]!.out).toMatch(new RegExp(`FAIL +queue +NATS at 127.0.0.1:${port}: the connection is refused`))
        expect(answers[1]!.out).toMatch(new RegExp(`FAIL +queue +NATS at 127.0.0.1:${silent.port}: no answer`))
        expect(answers[2]!.out).toMatch(/FAIL +queue +NATS at \S+: it refuses the user or the password of NATS_URL/)
        for (const { code, err, out } of answers) {
          expect(code).toBe(1)
          expect(out + err).not.toContain("hush-hush")
        }
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "finds out a master key that is not the database's, as the start of a node does",
    () =>
      Effect.gen(function* () {
        const env = yield* ready
        const before = yield* command(["doctor"], env)
        expect(before.out).toMatch(/ok +secrets +nothing is sealed yet; the first start records this key/)
        expect(yield* query(env.DATABASE_URL, "SELECT 1 FROM master_key_check")).toEqual([])

        expect((yield* command(["app", "create", "--name", "First", "--json"], env)).code).toBe(0)
        const right = yield* command(["doctor"], env)
        expect(right.out).toMatch(/ok +secrets +opens what this database holds/)
        expect(right.code).toBe(0)

        const other = { ...env, MASTER_KEY: key() }
        const wrong = yield* command(["doctor"], other)
        expect(wrong.out).toMatch(/FAIL +secrets +The master key is not the one that sealed this database's secrets/)
        expect(wrong.code).toBe(1)
        const port = String(yield* lastingPort)
        for (const args of [["serve"], ["app", "create", "--name", "Second"]]) {
          const refused = yield* command(args, { ...other, PORT: port, PROCESSES: "1" })
          expect(refused.err).toContain("The master key is not the one that sealed this database's secrets")
          expect(refused.code).toBe(1)
          expect(refused.out + refused.err).not.toContain(other.MASTER_KEY)
        }
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "names what a former master key has sealed, and what nobody can open who removes it",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        const [former, other] = [key(), key()]
        const DATA_DIR = yield* folder
        const doctor = (MASTER_KEY: string) => command(["doctor"], { DATABASE_URL: url, DATA_DIR, MASTER_KEY })
        yield* command(["app", "create", "--name", "First"], { DATABASE_URL: url, MASTER_KEY: former })
        // One that stands in a shell by mistake would lock out whoever starts without it.
        writeFileSync(join(DATA_DIR, "master.key"), `${former}\n`)
        const stray = yield* doctor(other)
        expect(stray.out).toMatch(/FAIL +secrets .*is a line of master.key in DATA_DIR. Start without MASTER_KEY/)
        const create = ["app", "create", "--name", "Second"]
        const refused = yield* command(create, { DATABASE_URL: url, DATA_DIR, MASTER_KEY: other })
        expect(refused.err).toContain("which is a line of master.key in DATA_DIR")
        expect(refused.code).toBe(1)
        expect((yield* doctor(former)).code).toBe(0)
        writeFileSync(join(DATA_DIR, "master.key"), `${former}\n${other}\n`)
        const both = yield* doctor(other)
        expect(both.out).toMatch(
          /WARN +secrets .*former key, which has to stay in master.key: 1 identity secrets \(key [0-9a-f]{8}\)/
        )
        expect(both.code).toBe(0)
        // What a node records at its start once both are known.
        yield* command(create, { DATABASE_URL: url, DATA_DIR, MASTER_KEY: other })
        writeFileSync(join(DATA_DIR, "master.key"), `${other}\n`)
        const removed = yield* doctor(other)
        expect(removed.out).toMatch(
          /FAIL +secrets .*neither MASTER_KEY nor a line of master.key: 1 identity secrets \(key [0-9a-f]{8}\)/
        )
        expect(removed.code).toBe(1)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "says that nothing can be written, and whose the tables are after a restore",
    () =>
      Effect.gen(function* () {
        const env = yield* ready
        const role = `reader_${randomBytes(4).toString("hex")}`
        const url = new URL(env.DATABASE_URL)
        yield* query(env.DATABASE_URL, `CREATE ROLE ${role} LOGIN PASSWORD 'reader'`)
        yield* query(env.DATABASE_URL, `GRANT ALL ON SCHEMA public TO ${role}`)
        yield* query(env.DATABASE_URL, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
        yield* query(env.DATABASE_URL, `ALTER ROLE ${role} SET default_transaction_read_only = on`)
        const asReader = { ...env, DATABASE_URL: url.href.replace(/\/\/[^@]*@/, `//${role}:reader@`) }
        const reading = yield* command(["doctor"], asReader)
        expect(reading.out).toMatch(/FAIL +writes +are refused: transaction_read_only is on/)
        yield* query(env.DATABASE_URL, `ALTER ROLE ${role} SET default_transaction_read_only = off`)
        yield* query(env.DATABASE_URL, `REVOKE SELECT ON notifications FROM ${role}`)
        const refused = yield* command(["doctor"], asReader)
        expect(refused.out).toMatch(/FAIL +totals .*permission denied for .*docs\/operators\.md, Backup/)
        // The statement that operators are told to use.
        const operators = readFileSync(join(import.meta.dirname, "../../../docs/operators.md"), "utf8")
        const [, statement] = /```sql\n([^`]*ALTER DATABASE[^`]*)```/.exec(operators)!
        yield* query(env.DATABASE_URL, `REVOKE ALL ON SCHEMA public FROM ${role}`)
        yield* query(env.DATABASE_URL, statement!.replaceAll("heliograph", role))
        const given = yield* command(["doctor"], asReader)
        expect(given.out).not.toContain("FAIL")
        const owners = yield* query(
          env.DATABASE_URL,
          `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner <> '${role}'::regrole`
        )
        expect(owners).toEqual([])
        expect((yield* command(["app", "create", "--name", "Another"], asReader)).code).toBe(0)
        yield* query(env.DATABASE_URL, `REASSIGN OWNED BY ${role} TO CURRENT_USER`)
        yield* query(env.DATABASE_URL, `DROP OWNED BY ${role}`)
        yield* query(env.DATABASE_URL, `DROP ROLE ${role}`)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "says that the disk is full, and what to do about it",
    () =>
      Effect.gen(function* () {
        const env = yield* ready
        yield* query(env.DATABASE_URL, FULL_FOR_TABLES)
        const { code, out } = yield* command(["doctor"], env)
        expect(out).toMatch(/FAIL +writes .*No space left on device\. .*its disk is full.* Make room where PostgreSQL/)
        expect(code).toBe(1)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live.each(["SIGTERM", "SIGINT"] as const)(
    "ends at %s, with a code that says so",
    (name) =>
      Effect.gen(function* () {
        const { port } = yield* silentServer
        const { code } = yield* command(
          ["doctor"],
          { DATABASE_URL: `postgres://heliograph@127.0.0.1:${port}/helio`, MASTER_KEY: key(), LOG_LEVEL: "debug" },
          { name, when: (printed) => printed.includes("Waiting for the database") }
        )
        expect(code).toBe(name === "SIGTERM" ? 143 : 130)
      }).pipe(Effect.scoped),
    TIMEOUT
  )
})
