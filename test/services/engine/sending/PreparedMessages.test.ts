import { expect, it } from "@effect/vitest"
import { Cache, Effect, Layer, Option, Result } from "effect"
import type { AppId, NotificationId, TemplateVersionId } from "../../../../services/domain/Ids.ts"
import type { Message } from "../../../../services/domain/sending/Notification.ts"
import { Templates } from "../../../../services/engine/messages/Templates.ts"
import { MessageRooms } from "../../../../services/engine/sending/MessageRooms.ts"
import { makePreparedMessages } from "../../../../services/engine/sending/PreparedMessages.ts"
import type { CompiledTemplate } from "../../../../services/ports/messages/TemplateEngine.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"

const id = uuidv7() as NotificationId
const appId = uuidv7() as AppId

const messageOf = (part: Partial<Message>): Message => ({
  notificationId: id,
  appId,
  content: {},
  priority: "bulk",
  expiresAt: 0,
  nowOrNever: false,
  collapseKey: null,
  overrides: {},
  ...part
})

/** Says how many there are of what it is filled with. */
const counting: CompiledTemplate = {
  isPersonal: true,
  parts: ["title"],
  characters: 10,
  locales: [],
  languageOf: () => "",
  fill: (variables, recipients) =>
    Effect.succeed(
      recipients.map(({ own }) => Result.succeed({ title: `${Object.keys(variables).length} ${own["steps"]}` }))
    ),
  sample: () => Effect.die("nobody looks")
}

/** Messages as they are prepared of one that is long, and what was read of it meanwhile. */
const prepareLong = Effect.fnUntraced(function* (message: Message) {
  const { reading } = yield* MessageRooms
  const read: Array<number> = []
  let isAway = false
  const layers = Layer.mergeAll(
    Layer.mock(NotificationStore, {
      messageIfShort: () => Effect.succeed(Option.some({ appId, bytes: 100_000 })),
      message: () =>
        Effect.suspend(() => {
          read.push(reading.taken)
          return isAway
            ? Effect.fail(new StoreError({ operation: "message", cause: new Error("away") }))
            : Effect.succeed(Option.some(message))
        })
    }),
    Layer.mock(Templates, { version: () => Effect.succeed(Option.some(counting)) })
  )
  const messages = yield* Effect.provide(makePreparedMessages, layers)
  const prepared = Option.getOrThrow(yield* Cache.get(messages, id))
  return { prepared, read, reading, goAway: () => void (isAway = true) }
})

it.effect("remembers nothing that a long message's template is filled with: it is read when it is filled", () =>
  Effect.gen(function* () {
    const version = uuidv7() as TemplateVersionId
    const variables = { a: 1, b: "x".repeat(90_000) }
    const own = { ada: { steps: "her own" } }
    const { goAway, prepared, read, reading } = yield* prepareLong(messageOf({ template: { version, variables, own } }))
    expect(prepared.message.template).toEqual({ version, variables: {}, own: {} })
    const rendering = prepared.rendering!
    const ada = { locale: null, device: {}, contact: { external_id: "ada", attributes: {} } }
    expect(yield* rendering.contentsOf([ada])).toEqual([Result.succeed({ title: "2 her own" })])
    // Each time with room for all of it, which is free again afterwards.
    expect([read, reading.taken]).toEqual([[100_000, 100_000], 0])
    goAway()
    expect(yield* Effect.flip(rendering.contentsOf([ada]))).toMatchObject({ _tag: "StoreError" })
    expect(reading.taken).toBe(0)
  })
)

it.effect("remembers no long content, and a short one of a message that is long by its recipients", () =>
  Effect.gen(function* () {
    const long = yield* prepareLong(messageOf({ content: { subject: "a", html: "x".repeat(90_000) } }))
    expect([long.prepared.message.content, long.prepared.unread]).toEqual([{}, 90_000])
    const short = yield* prepareLong(messageOf({ content: { title: "a" } }))
    expect([short.prepared.message.content, short.prepared.unread]).toEqual([{ title: "a" }, 0])
  })
)
