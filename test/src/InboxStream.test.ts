import { expect, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { createHmac } from "node:crypto"
import { lastingPort } from "../Ports.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import { follow } from "./http/EventReader.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/InboxStream") {}

const SYSTEM = Layer.effect(TheSystem, makeSystem({ LEASE_SECONDS: "2" }))

const listen = ({ app }: System, url: string, user: string, last: string | null = null) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      follow(`${url}/api/v1/public/inbox/stream?user_id=${user}`, {
        authorization: `Public ${app.publicKey}`,
        "x-identity-hash": createHmac("sha256", app.identitySecret).update(user).digest("hex"),
        ...(last === null ? {} : { "last-event-id": last })
      })
    ),
    ({ close }) => Effect.sync(close)
  )

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("live inboxes on two nodes", (it) => {
  it.effect("hear of messages from either, go on where they were on the other, and miss nothing when a node goes", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const port = yield* lastingPort
      const url = `http://127.0.0.1:${port}`
      const second = yield* Scope.make()
      yield* Scope.provide(system.startEngine({ PORT: String(port), BASE_URL: url }), second)
      const here = yield* listen(system, system.url, "ann")
      const there = yield* listen(system, url, "ann")
      for (const reader of [here, there]) yield* Effect.promise(() => reader.until(() => reader.unread() === 0))

      const send = (title: string) =>
        system.send({ to: { user_ids: ["ann", "bob"] }, channels: ["inbox"], content: { title } })
      yield* send("one")
      yield* system.call("POST", "/api/v1/inbox/messages", { user_ids: ["ann"], title: "two" })
      for (const reader of [here, there]) {
        yield* Effect.promise(() => reader.until(() => reader.titles().length === 2 && reader.unread() === 2))
        expect(reader.titles().toSorted()).toEqual(["one", "two"])
      }
      yield* system.call("POST", "/api/v1/public/inbox/read_all?user_id=ann")
      for (const reader of [here, there]) yield* Effect.promise(() => reader.until(() => reader.unread() === 0))

      // A stop sends readers away at once; it does not wait for them, nor they for it.
      yield* Scope.close(second, Exit.void)
      yield* Effect.promise(() => there.ended)
      expect(there.comments.at(-1)).toBe("end")
      const id = yield* send("three")
      yield* system.until(id, ({ status }) => status === "completed")
      const again = yield* listen(system, system.url, "ann", there.lastId())
      yield* Effect.promise(() => again.until(() => again.unread() === 1))
      expect(again.titles()).toEqual(["three"])

      // A node that is killed sends nobody away; what came meanwhile is told by the next one.
      yield* system.engine.kill
      yield* Effect.promise(() => again.ended)
      yield* system.startEngine()
      yield* send("four")
      const last = yield* listen(system, system.url, "ann", again.lastId())
      yield* Effect.promise(() => last.until(() => last.unread() === 2))
      expect(last.titles()).toEqual(["four"])
    })
  )
})
