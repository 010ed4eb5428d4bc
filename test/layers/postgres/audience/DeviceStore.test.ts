import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { hash } from "node:crypto"
import type { Device } from "../../../../services/domain/audience/Device.ts"
import type { AppId, AuditEntryId, DeviceId } from "../../../../services/domain/Ids.ts"
import { CurrentImport } from "../../../../services/ports/access/CurrentImport.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { DeviceFilter, Page } from "../../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { android, atOnce, hold, hotStores, newApp, onOwnNode, tokens } from "../Stores.ts"

/** Waits until somebody waits for what a session has locked. */
const waitsFor = (pid: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`SELECT 1 FROM pg_stat_activity WHERE ${pid} = ANY(pg_blocking_pids(pid))`.pipe(
      Effect.repeat({ until: (rows) => rows.length > 0 })
    )
  )

/** A registration of a token that is written and not committed yet. */
const arriving = Effect.fnUntraced(function* (app: AppId, token: string) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7() as DeviceId
  const [mine, letGo] = [yield* Deferred.make<number>(), yield* Deferred.make<void>()]
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly pid: number }>`
          INSERT INTO devices (app_id, id, token_hash, platform, token)
          VALUES (${app}, ${id}, substring(sha256(convert_to(${token}, 'UTF8')) FOR 16), 'android', ${token})
          RETURNING pg_backend_pid() AS pid`
        yield* Deferred.succeed(mine, row!.pid)
        yield* Deferred.await(letGo)
      })
    )
  )
  const isAwaited = Effect.flatMap(Deferred.await(mine), waitsFor)
  yield* Deferred.await(mine)
  return { id, isAwaited, commit: Effect.andThen(Deferred.succeed(letGo, undefined), Fiber.join(holder)) }
})

layer(hotStores)("DeviceStore", (it) => {
  it.effect("refreshes the row of a known token instead of making another", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const [first] = yield* devices.register(app, [android("t")])
      const [second] = yield* devices.register(app, [android("t")])
      expect(first?.created).toBe(true)
      expect(second).toEqual({ id: first?.id, created: false })
      expect((yield* devices.list(app, {}, null, 10)).items).toHaveLength(1)
    })
  )

  it.effect("keeps a device's row where it has another token, and one row where both are there", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const [app, other] = [yield* newApp, yield* newApp]
      const [first] = yield* devices.register(app, [android("before")])
      const [elsewhere] = yield* devices.register(other, [android("before")])
      const moved = { ...android("now"), previous_token: "before" }
      expect(yield* devices.register(app, [moved])).toEqual([{ id: first!.id, created: false }])
      const [hers] = yield* devices.register(app, [android("hers", { user_id: "anna" })])
      const later = { ...android("later", { user_id: "anna" }), previous_token: "hers" }
      expect(yield* devices.register(app, [later])).toEqual([{ id: hers!.id, created: false }])
      const [stranger] = yield* devices.register(app, [{ ...android("thief"), previous_token: "later" }])
      expect(stranger!.created).toBe(true)
      expect(Option.getOrThrow(yield* devices.find(app, hers!.id)).token).toBe("later")
      yield* Effect.forEach([hers!.id, stranger!.id], (id) => devices.remove(app, id))
      const shown = yield* devices.list(app, {}, null, 10)
      expect(shown.items.map(({ id, token, userId }) => [id, token, userId])).toEqual([[first!.id, "now", null]])
      // Said again, and of a token that nobody has: it is a registration like any other.
      expect(yield* devices.register(app, [moved])).toEqual([{ id: first!.id, created: false }])
      yield* devices.register(app, [android("before")])
      expect(yield* devices.register(app, [moved])).toEqual([{ id: first!.id, created: false }])
      expect((yield* devices.list(app, {}, null, 10)).items).toHaveLength(1)
      expect((yield* devices.list(other, {}, null, 10)).items.map(({ id }) => id)).toEqual([elsewhere!.id])
    })
  )

  it.effect("moves devices between lines of one call, and calls at once, as if each line came by itself", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const sequences = [
        ["A", "B<A"],
        ["A", "B<A", "A"],
        ["A", "B", "B<A"],
        ["B", "B<A"],
        ["B<A", "B"],
        ["B<A", "B@ann"],
        ["B<A@ann", "B"],
        ["B<A", "B<A"],
        ["B<A", "B<C"],
        ["B<D", "B<A"],
        ["B<A", "A<B"],
        ["B<A", "C<A"],
        ["B<A", "C<B"],
        ["C<B", "B<A", "B<A", "A"],
        ["A", "B<A", "C<B", "D<C"],
        ["B<A", "A", "A<B"],
        ["Z", "B<A", "C<A", "A<C", "C"],
        ["A<A", "A", "B<A", "B<A"],
        // Ann's.
        ["P<H", "P<H@ann", "P<A"],
        ["P<H@ann", "P<H"],
        ["H", "P<H"],
        ["P<H@bob", "P<H@ann", "Q<H@ann"]
      ]
      const lineOf = (text: string) => {
        const [tokens, user] = text.split("@")
        const [token, previous] = tokens!.split("<")
        return {
          ...android(token!, { tags: [text], ...(user !== undefined && { user_id: user }) }),
          ...(previous !== undefined && { previous_token: previous })
        }
      }
      /** What was answered, each row by the line that it was named in first, and what is in which row. */
      const shown = Effect.fnUntraced(function* (
        app: AppId,
        answers: ReadonlyArray<{ readonly id: string; readonly created: boolean }>
      ) {
        const ids = answers.map(({ id }) => id)
        const { items } = yield* devices.list(app, {}, null, 10)
        return {
          answers: answers.map(({ created, id }) => [created, ids.indexOf(id)]),
          rows: items.map(({ id, tags, token, userId }) => [token, ids.indexOf(id), userId, tags]).sort()
        }
      })
      for (const sequence of sequences) {
        const lines = sequence.map(lineOf)
        const apps = yield* Effect.all([newApp, newApp, newApp, newApp])
        for (const app of apps) yield* devices.register(app, ["A", "C", "H@ann"].map(lineOf))
        const [apart, together, ours, theirs] = apps
        const single = yield* Effect.forEach(lines, (line) => devices.register(apart, [line]))
        const all = yield* devices.register(together, lines)
        // The first goes alone; the others gather behind it and travel together.
        const [, ...many] = yield* Effect.forEach(
          [
            { app: yield* newApp, line: android("ahead") },
            ...lines.flatMap((line) => [ours, theirs].map((app) => ({ app, line })))
          ],
          ({ app, line }) => devices.register(app, [line]),
          { concurrency: "unbounded" }
        )
        const expected = yield* shown(apart, single.flat())
        const own = (at: number) => many.filter((_, i) => i % 2 === at).flat()
        for (const found of [shown(together, all), shown(ours, own(0)), shown(theirs, own(1))]) {
          expect([sequence, yield* found]).toEqual([sequence, expected])
        }
      }
    })
  )

  it.effect("moves a device to a token that was registered at the same moment: the row of that one goes on", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      yield* devices.register(app, [android("single-old")])
      const other = yield* arriving(app, "single-new")
      const moving = yield* Effect.forkChild(
        devices.register(app, [{ ...android("single-new", { tags: ["moved"] }), previous_token: "single-old" }])
      )
      yield* other.isAwaited
      yield* other.commit
      expect(yield* Fiber.join(moving)).toEqual([{ id: other.id, created: false }])
      const { items } = yield* devices.list(app, {}, null, 10)
      expect(items.map(({ id, tags, token }) => ({ id, tags, token }))).toEqual([
        { id: other.id, tags: ["moved"], token: "single-new" }
      ])
    })
  )

  it.effect("loses no line of an import that moves devices to tokens which are registered at the same moment", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const before = yield* devices.register(
        app,
        tokens("old", 300).map((token) => android(token))
      )
      const lines = tokens("new", 300).map((token, i) => ({ ...android(token), previous_token: `old-${i}` }))
      // Again and again: more often than the whole is tried. Devices are moved in the order of their new keys.
      const taken = tokens("new", 5).toSorted((a, b) => (hash("sha256", a) < hash("sha256", b) ? -1 : 1))
      const others = yield* Effect.forEach(taken, (token) => arriving(app, token))
      const importing = yield* Effect.forkChild(
        onOwnNode(
          Effect.provideService(
            Effect.flatMap(DeviceStore, (it) => it.register(app, lines)),
            CurrentImport,
            uuidv7() as AuditEntryId
          )
        )
      )
      for (const { commit, isAwaited } of others) {
        // Whoever has given up waits for nobody.
        yield* Effect.raceFirst(isAwaited, Effect.asVoid(Fiber.await(importing)))
        yield* commit
      }
      const kept = new Map(taken.map((token, i) => [token, others[i]!.id]))
      const expected = lines.map(({ token }, i) => ({ id: kept.get(token) ?? before[i]!.id, created: false }))
      expect(yield* Fiber.join(importing)).toEqual(expected)
      const { items } = yield* devices.list(app, {}, null, 1000)
      expect(items.map(({ id, token }) => `${token} ${id}`).toSorted()).toEqual(
        lines.map(({ token }, i) => `${token} ${expected[i]!.id}`).toSorted()
      )
    })
  )

  it.effect("answers an application's registrations while another's, which came with them, wait for a lock", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const [app, other, third] = [yield* newApp, yield* newApp, yield* newApp]
      yield* devices.register(app, [android("held")])
      const letGo = yield* hold(sql`SELECT FROM devices WHERE app_id = ${app} FOR UPDATE`)
      // The first goes at once; the others share the next statement.
      const [first, held, theirs] = yield* Effect.forEach(
        [
          [third, "t"],
          [app, "held"],
          [other, "t"]
        ] as const,
        ([appId, token]) => Effect.forkChild(devices.register(appId, [android(token)]))
      )
      yield* Fiber.join(first!)
      expect((yield* Fiber.join(theirs!))[0]!.created).toBe(true)
      const behind = yield* Effect.forkChild(devices.register(app, [android("another")]))
      for (const token of ["u", "v"]) yield* devices.register(other, [android(token)])
      expect(held!.pollUnsafe()).toBeUndefined()
      yield* letGo
      expect((yield* Fiber.join(held!))[0]!.created).toBe(false)
      expect((yield* Fiber.join(behind))[0]!.created).toBe(true)
    })
  )

  it.effect("registers devices over which PostgreSQL ended a deadlock at the registration's cost", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const both = [android("a"), android("b")]
      const registered = yield* devices.register(app, both)
      // Registrations lock them in this order.
      const [first, second] = yield* sql<{ readonly id: string }>`
        SELECT id FROM devices WHERE app_id = ${app} ORDER BY token_hash`
      const lock = (id: string) => sql`SELECT id FROM devices WHERE id = ${id} AND app_id = ${app} FOR UPDATE`
      const mine = yield* Deferred.make<number>()
      const isAwaited = yield* Deferred.make<void>()
      const other = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* lock(second!.id)
            const [row] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
            yield* Deferred.succeed(mine, row!.pid)
            yield* Deferred.await(isAwaited)
            yield* lock(first!.id)
          })
        )
      )
      const pid = yield* Deferred.await(mine)
      const call = yield* Effect.forkChild(onOwnNode(Effect.flatMap(DeviceStore, (it) => it.register(app, both))))
      yield* waitsFor(pid)
      // Whoever has waited for a second finds it, and pays: the registration waits longer.
      yield* Deferred.succeed(isAwaited, undefined)
      expect(yield* Fiber.join(call)).toEqual(registered.map(({ id }) => ({ id, created: false })))
      yield* Fiber.join(other)
    })
  )

  it.effect("answers in the order of the lines, and the last line of a token wins whole", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const answers = yield* devices.register(app, [
        android("b", { user_id: "ann", timezone: "Europe/Berlin" }),
        android("a"),
        android("b", { user_id: "bob" }),
        android("b", { tags: ["x"] })
      ])
      expect(answers.map(({ created }) => created)).toEqual([true, true, false, false])
      expect(new Set([answers[0]?.id, answers[2]?.id, answers[3]?.id]).size).toBe(1)
      const found = Option.getOrThrow(yield* devices.find(app, answers[0]!.id))
      expect(found).toMatchObject({ token: "b", userId: null, timezone: null, tags: ["x"] })
      expect(Option.getOrThrow(yield* devices.find(app, answers[1]!.id))).toMatchObject({ token: "a", userId: null })
    })
  )

  it.effect("keeps every field through a round trip, whatever characters are in it", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const tags = ['quote " and \\ backslash', "{braces}, comma", "NULL", "ü€😀", "'single'"]
      const metadata = { "a\u0000b": ["\ud800", 1.5, null, { deep: true }] }
      const [registered] = yield* devices.register(app, [
        {
          token: "https://push.example.com/1",
          platform: "web",
          user_id: "Zoë\n",
          tags,
          timezone: "Asia/Tokyo",
          environment: "sandbox",
          metadata,
          web_push_p256dh: "p",
          web_push_auth: "a"
        }
      ])
      const device = Option.getOrThrow(yield* devices.find(app, registered!.id))
      expect(device).toEqual({
        id: registered!.id,
        platform: "web",
        token: "https://push.example.com/1",
        userId: "Zoë\n",
        tags,
        timezone: "Asia/Tokyo",
        environment: "sandbox",
        metadata,
        p256dh: "p",
        auth: "a",
        status: "active",
        invalidReason: null,
        createdAt: device.createdAt,
        lastSeenAt: device.lastSeenAt
      })
      expect(Math.abs(device.createdAt - Date.now())).toBeLessThan(60_000)
    })
  )

  it.effect("forgets what a refresh leaves out, and what it gives as null", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const full = {
        user_id: "ann",
        tags: ["x", "y"],
        timezone: "Europe/Berlin",
        environment: "sandbox" as const,
        metadata: { a: 1 }
      }
      const [first] = yield* devices.register(app, [android("t", full)])
      expect(Option.getOrThrow(yield* devices.find(app, first!.id))).toMatchObject({ userId: "ann", tags: ["x", "y"] })
      const anonymous = { userId: null, tags: [], timezone: null, environment: "production", metadata: {} }
      yield* devices.register(app, [android("t")])
      expect(Option.getOrThrow(yield* devices.find(app, first!.id))).toMatchObject(anonymous)
      yield* devices.register(app, [android("t", full)])
      yield* devices.register(app, [
        android("t", { user_id: null, timezone: null, tags: [], environment: "production", metadata: {} })
      ])
      expect(Option.getOrThrow(yield* devices.find(app, first!.id))).toMatchObject(anonymous)
    })
  )

  it.effect("knows an iOS token in capitals as the same device, and tells all other tokens apart by case", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const token = "AB12".repeat(16)
      const ios = (text: string) => ({ token: text, platform: "ios" as const })
      const [first, again] = yield* devices.register(app, [ios(token), ios(token.toLowerCase())])
      const [third] = yield* devices.register(app, [ios(token.replaceAll("AB", "Ab"))])
      expect([again, third]).toEqual([
        { id: first!.id, created: false },
        { id: first!.id, created: false }
      ])
      expect(Option.getOrThrow(yield* devices.find(app, first!.id)).token).toBe(token.toLowerCase())
      const others = yield* devices.register(app, [android("ABCD"), android("abcd")])
      expect(new Set(others.map(({ id }) => id)).size).toBe(2)
      expect(yield* devices.removeByToken(app, "ABCD")).toBe(true)
      expect((yield* devices.list(app, {}, null, 10)).items.map((device) => device.token).toSorted()).toEqual([
        token.toLowerCase(),
        "abcd"
      ])
      expect(yield* devices.removeByToken(app, "ABCD")).toBe(false)
      expect(yield* devices.removeByToken(app, token)).toBe(true)
    })
  )

  it.effect("keeps each tag once", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const [device] = yield* devices.register(app, [android("t", { tags: ["b", "a", "b"] })])
      expect(Option.getOrThrow(yield* devices.find(app, device!.id)).tags).toEqual(["b", "a"])
      const changed = yield* devices.update(app, device!.id, { tags: ["c", "c"] })
      expect(Option.getOrThrow(changed).tags).toEqual(["c"])
    })
  )

  it.effect("makes a dead token active again and moves its last registration", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [first] = yield* devices.register(app, [android("t")])
      yield* sql`UPDATE devices SET active = false, invalid_reason = 'unregistered', last_seen_at = now() - interval '1 day'
        WHERE app_id = ${app}`
      const dead = Option.getOrThrow(yield* devices.find(app, first!.id))
      expect(dead).toMatchObject({ status: "invalid", invalidReason: "unregistered" })
      yield* devices.register(app, [android("t")])
      const alive = Option.getOrThrow(yield* devices.find(app, first!.id))
      expect(alive).toMatchObject({ status: "active", invalidReason: null, createdAt: dead.createdAt })
      expect(alive.lastSeenAt).toBeGreaterThan(dead.lastSeenAt)
    })
  )

  it.effect("gives concurrent imports of the same tokens one row each, whatever order they come in", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const lines = tokens("same", 400).map((token) => android(token))
      const orders = [lines, lines.toReversed(), lines.slice(200).concat(lines.slice(0, 200)), lines.toReversed()]
      const rounds = yield* atOnce(
        [...orders, ...orders].map((order) => Effect.flatMap(DeviceStore, (store) => store.register(app, order)))
      )
      const answers = rounds.flat()
      expect(new Set(answers.map(({ id }) => id)).size).toBe(400)
      expect(answers.filter(({ created }) => created)).toHaveLength(400)
    })
  )

  it.effect("shows another application nothing", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const [mine, other] = [yield* newApp, yield* newApp]
      const [device] = yield* devices.register(mine, [android("shared", { user_id: "ann" })])
      expect(yield* devices.find(other, device!.id)).toEqual(Option.none())
      expect(yield* devices.remove(other, device!.id)).toBe(false)
      expect(yield* devices.removeByToken(other, "shared")).toBe(false)
      expect((yield* devices.list(other, {}, null, 10)).items).toEqual([])
      expect(yield* devices.among(other, [device!.id])).toEqual([])
      const [theirs] = yield* devices.register(other, [android("shared")])
      expect(theirs?.created).toBe(true)
      expect(theirs?.id).not.toBe(device?.id)
    })
  )

  it.effect("tells apart what there was to remove and what there was not", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const [a, b] = yield* devices.register(app, [android("a"), android("b")])
      expect(yield* devices.removeByToken(app, "a")).toBe(true)
      expect(yield* devices.removeByToken(app, "a")).toBe(false)
      expect(yield* devices.remove(app, b!.id)).toBe(true)
      expect(yield* devices.remove(app, b!.id)).toBe(false)
      expect(yield* devices.find(app, a!.id)).toEqual(Option.none())
    })
  )

  it.effect("tells its devices among ids, texts that are no UUID among them, each once", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const [a] = yield* devices.register(app, [android("a")])
      const found = [{ id: a!.id, platform: "android", active: true }]
      expect(yield* devices.among(app, [a!.id, uuidv7(), "no-uuid", a!.id])).toEqual(found)
      expect(yield* devices.among(app, [...Array.from({ length: 300 }, () => uuidv7()), a!.id])).toEqual(found)
      expect(yield* devices.among(app, [])).toEqual([])
    })
  )

  it.effect("pages in the order of ids, and devices that come meanwhile are not missed", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const before = yield* devices.register(
        app,
        tokens("page", 25).map((token) => android(token))
      )
      const seen: Array<DeviceId> = []
      let after: string | null = null
      let pages = 0
      do {
        const page: { items: ReadonlyArray<{ id: DeviceId }>; next: string | null } = yield* devices.list(
          app,
          {},
          after,
          10
        )
        seen.push(...page.items.map(({ id }) => id))
        after = page.next
        if (++pages === 1)
          yield* devices.register(
            app,
            tokens("late", 5).map((token) => android(token))
          )
      } while (after !== null)
      expect(pages).toBe(3)
      expect(seen).toEqual(seen.toSorted())
      expect(new Set(seen).size).toBe(30)
      for (const { id } of before) expect(seen).toContain(id)
    })
  )

  it.effect("lists by platform and by user", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      yield* devices.register(app, [
        android("a", { user_id: "ann" }),
        { token: "ab".repeat(32), platform: "ios", user_id: "ann" },
        android("b", { user_id: "bob" })
      ])
      const tokensOf = Effect.fnUntraced(function* (filter: Parameters<DeviceStore["Service"]["list"]>[1]) {
        return (yield* devices.list(app, filter, null, 10)).items.map(({ token }) => token).toSorted()
      })
      expect(yield* tokensOf({ platform: "android" })).toEqual(["a", "b"])
      expect(yield* tokensOf({ userId: "ann" })).toEqual(["a", "ab".repeat(32)])
      expect(yield* tokensOf({ platform: "ios", userId: "ann" })).toEqual(["ab".repeat(32)])
      expect(yield* tokensOf({ userId: "carol" })).toEqual([])
    })
  )

  it.effect("answers many at once as if one after another, whatever application they belong to", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const apps = [yield* newApp, yield* newApp, yield* newApp]
      // Every application registers every token, and each token comes four times.
      const calls = Array.from({ length: 600 }, (_, i) => ({
        app: apps[i % 3]!,
        device: android(`same-${Math.floor(i / 3) % 50}`, { user_id: `user-${i}` })
      }))
      const answers = yield* Effect.forEach(calls, ({ app, device }) => devices.register(app, [device]), {
        concurrency: "unbounded"
      })
      for (const app of apps) {
        const own = calls.flatMap((call, i) => (call.app === app ? [{ ...call.device, ...answers[i]![0]! }] : []))
        const idsByToken = Map.groupBy(own, ({ token }) => token)
        expect(idsByToken.size).toBe(50)
        for (const same of idsByToken.values()) {
          expect(same.filter(({ created }) => created)).toHaveLength(1)
          expect(new Set(same.map(({ id }) => id)).size).toBe(1)
        }
        const stored = yield* devices.list(app, {}, null, 100)
        expect(stored.items.map(({ id }) => id).sort()).toEqual([...new Set(own.map(({ id }) => id))].sort())
      }
    })
  )

  it.effect("lets the last of several calls with one token win, whole", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      // The first goes alone; the others gather behind it and travel together.
      const answers = yield* Effect.forEach(
        [
          android("ahead"),
          android("ahead too"),
          android("t", { user_id: "ann", tags: ["a"] }),
          android("t", { user_id: "bob" }),
          android("t", { timezone: "Europe/Berlin" })
        ],
        (device) => devices.register(app, [device]),
        { concurrency: "unbounded" }
      )
      expect(answers.flat().map(({ created }) => created)).toEqual([true, true, true, false, false])
      const found = Option.getOrThrow(yield* devices.find(app, answers[4]![0]!.id))
      expect(found).toMatchObject({ userId: null, tags: [], timezone: "Europe/Berlin" })
    })
  )

  it.effect("refuses the calls that the database refuses, and no others that travelled with them", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const isBad = (i: number) => i % 37 === 5
      const exits = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, i) => i),
        // PostgreSQL has no text with U+0000; the API refuses it before.
        (i) => Effect.exit(devices.register(app, [android(`r-${i}`, { user_id: isBad(i) ? "\u0000" : `u-${i}` })])),
        { concurrency: "unbounded" }
      )
      expect(exits.map((exit) => exit._tag)).toEqual(exits.map((_, i) => (isBad(i) ? "Failure" : "Success")))
      expect((yield* devices.list(app, {}, null, 1000)).items).toHaveLength(200 - 6)
    })
  )

  it.effect("moves devices once, and says who made them, where a call that came with theirs is refused", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const lines = [
        android("ahead"),
        android("A"),
        { ...android("B"), previous_token: "A" },
        android("refused", { user_id: "\u0000" }),
        android("C")
      ]
      const exits = yield* Effect.forEach(lines, (line) => Effect.exit(devices.register(app, [line])), {
        concurrency: "unbounded"
      })
      const [ahead, first, moved, refused, last] = exits.map((exit) => (Exit.isSuccess(exit) ? exit.value[0]! : null))
      expect(refused).toBe(null)
      expect([first, moved, last].map((answer) => answer?.created)).toEqual([true, false, true])
      expect(moved!.id).toBe(first!.id)
      const { items } = yield* devices.list(app, {}, null, 10)
      expect(items.map(({ id, token }) => [token, id]).sort()).toEqual([
        ["B", moved!.id],
        ["C", last!.id],
        ["ahead", ahead!.id]
      ])
    })
  )

  it.effect("tells each caller which of its own ids are devices, when many ask at once", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const apps = [yield* newApp, yield* newApp]
      const made = yield* Effect.forEach(apps, (app) => devices.register(app, [android("x"), android("y")]))
      const asked = Array.from({ length: 100 }, (_, i) => ({
        app: apps[i % 2]!,
        id: made[(i >> 1) % 2]![i % 3 === 0 ? 0 : 1]!.id
      }))
      const answers = yield* Effect.forEach(asked, ({ app, id }) => devices.among(app, [id, uuidv7()]), {
        concurrency: "unbounded"
      })
      for (const [i, { app, id }] of asked.entries()) {
        const isOwn = made[apps.indexOf(app)]!.some((device) => device.id === id)
        expect(answers[i]).toEqual(isOwn ? [{ id, platform: "android", active: true }] : [])
      }
    })
  )

  it.effect("lists what meets every condition, page by page and each once", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const other = yield* newApp
      const lines = [
        android("1", { tags: ["a", "b"], user_id: "ann" }),
        android("2", { tags: ["a"], user_id: "ann", environment: "sandbox" }),
        android("3", { tags: ["b"] }),
        { ...android("4"), platform: "ios" as const },
        android("5", { user_id: "ann" })
      ]
      const ids = (yield* devices.register(app, lines)).map(({ id }) => id)
      yield* devices.register(other, lines)
      const day = 86_400_000
      const now = Date.now()
      yield* sql`UPDATE devices SET last_seen_at = ${new Date(now - 9 * day)} WHERE app_id = ${app} AND id = ${ids[2]!}`
      yield* sql`UPDATE devices SET active = false WHERE app_id = ${app} AND id = ${ids[4]!}`
      const shown = Effect.fnUntraced(function* (filter: DeviceFilter) {
        const found: Array<number> = []
        let after: string | null = null
        do {
          const page: Page<Device> = yield* devices.list(app, filter, after, 2)
          found.push(...page.items.map(({ id }) => ids.indexOf(id) + 1))
          after = page.next
        } while (after !== null)
        return found.sort()
      })
      expect(yield* shown({})).toEqual([1, 2, 3, 4, 5])
      expect(yield* shown({ platform: "ios" })).toEqual([4])
      expect(yield* shown({ environment: "sandbox" })).toEqual([2])
      expect(yield* shown({ status: "invalid" })).toEqual([5])
      expect(yield* shown({ userId: "ann" })).toEqual([1, 2, 5])
      expect(yield* shown({ userId: "ann", status: "active", environment: "production" })).toEqual([1])
      expect(yield* shown({ tagsAny: ["a", "b"] })).toEqual([1, 2, 3])
      expect(yield* shown({ tagsAll: ["a", "b"] })).toEqual([1])
      expect(yield* shown({ tagsAny: ["nope"] })).toEqual([])
      expect(yield* shown({ seenBefore: now - day })).toEqual([3])
      expect(yield* shown({ seenFrom: now - day })).toEqual([1, 2, 4, 5])
      expect(yield* shown({ createdFrom: now - day, createdBefore: now + day })).toEqual([1, 2, 3, 4, 5])
      expect(yield* shown({ createdFrom: now + day })).toEqual([])
      expect(yield* shown({ createdBefore: now - day })).toEqual([])
    })
  )

  it.effect("changes the fields that are given, of a device of this application alone", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const other = yield* newApp
      const [made] = yield* devices.register(app, [
        android("t", { user_id: "ann", tags: ["a"], timezone: "Asia/Tokyo", metadata: { a: 1 } })
      ])
      const before = Option.getOrThrow(yield* devices.find(app, made!.id))
      expect(Option.getOrThrow(yield* devices.update(app, made!.id, {}))).toEqual(before)
      const change = { user_id: null, tags: ['"', "b"], environment: "sandbox", metadata: { "\u0000": [1] } } as const
      const changed = Option.getOrThrow(yield* devices.update(app, made!.id, change))
      const { user_id: userId, ...rest } = change
      expect(changed).toEqual({ ...before, ...rest, userId })
      expect(Option.getOrThrow(yield* devices.find(app, made!.id))).toEqual(changed)
      expect(Option.isNone(yield* devices.update(other, made!.id, { tags: [] }))).toBe(true)
      expect(Option.getOrThrow(yield* devices.find(app, made!.id))).toEqual(changed)
    })
  )

  it.effect("finds the first devices of many people at once, each of its own application", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const [app, other] = [yield* newApp, yield* newApp]
      const mine = yield* devices.register(
        app,
        ["ann", "bob"].flatMap((user_id) => tokens(user_id, 3).map((token) => android(token, { user_id })))
      )
      yield* devices.register(other, [android("foreign", { user_id: "ann" })])
      yield* devices.register(app, [android("nobody's")])
      // Ids of one millisecond are in an order of their own.
      const firstTwo = (theirs: typeof mine) =>
        theirs
          .map(({ id }) => id)
          .sort()
          .slice(0, 2)
      const found = yield* devices.ofUsers(app, ["ann", "bob", "ann", "nobody", ""], 2)
      expect([...found.keys()].sort()).toEqual(["ann", "bob"])
      expect(found.get("ann")!.map(({ id }) => id)).toEqual(firstTwo(mine.slice(0, 3)))
      expect(found.get("bob")!.map(({ id }) => id)).toEqual(firstTwo(mine.slice(3)))
      expect((yield* devices.ofUsers(app, [], 2)).size).toBe(0)
    })
  )
})
