import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { AppId, NotificationId, TemplateVersionId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { Room } from "../../../../services/domain/operations/Room.ts"
import type { Content } from "../../../../services/domain/sending/Notification.ts"
import type { Person, TemplateBody, Variables } from "../../../../services/domain/messages/Template.ts"
import { filling, makeRendering, sourceOf } from "../../../../services/engine/sending/Rendering.ts"
import type { Target } from "../../../../services/ports/audience/AudienceStore.ts"
import type { Credential } from "../../../../services/ports/sending/CredentialStore.ts"
import type { Outcome, SendBatch } from "../../../../services/ports/sending/Provider.ts"
import type { FillFor } from "../../../../services/ports/messages/TemplateEngine.ts"
import { makeEngine } from "../../../layers/liquid/Engine.ts"

const engine = await makeEngine()

const target = (name: string | null, locale: string | null = null): Target => {
  const attributes = name === null ? {} : { name }
  const person: Person = { locale, device: { platform: "ios" }, contact: { attributes } }
  return { id: uuidv7(), address: "a", environment: "production", p256dh: null, auth: null, seenAt: 0, person }
}

/** What a provider is given for some targets, and what becomes of each. */
const send = async (
  content: TemplateBody["content"],
  targets: ReadonlyArray<Target>,
  locales: TemplateBody["locales"] = {}
) => {
  const compiled = await engine.compile({ content, locales, missing_variables: "error" })
  const asked: Array<number> = []
  const counting = {
    ...compiled,
    fill: (variables: Variables, recipients: ReadonlyArray<FillFor>) => {
      asked.push(recipients.length)
      return compiled.fill(variables, recipients)
    }
  }
  const batches: Array<{ readonly content: Content; readonly targets: number; readonly isOneOfAKind: boolean }> = []
  const outcomes: Array<Outcome> = []
  const provider = filling(
    {
      window: 1,
      send: (batch: SendBatch, onOutcome) =>
        Effect.sync(() => {
          const { content } = batch.message
          batches.push({ content, targets: batch.targets.length, isOneOfAKind: batch.isOneOfAKind === true })
          batch.targets.forEach(({ id }, i) => onOutcome(i, { _tag: "Ok", messageId: id }))
        })
    },
    makeRendering(counting, sourceOf({ variables: { order: "No. 1" } })),
    new Room(1_000_000)
  )
  const message = {
    notificationId: uuidv7() as NotificationId,
    appId: uuidv7() as AppId,
    content: {},
    priority: "bulk" as const,
    expiresAt: 0,
    nowOrNever: false,
    collapseKey: null,
    overrides: {},
    template: { version: uuidv7() as TemplateVersionId, variables: {} }
  }
  const batch = { message, credential: {} as Credential, targets }
  const all = Effect.suspend(() => provider.send(batch, (i, outcome) => void (outcomes[i] = outcome)))
  await Effect.runPromise(all)
  const first = { batches: [...batches], outcomes: [...outcomes], asked: [...asked] }
  await Effect.runPromise(all)
  return { ...first, askedByTwo: asked }
}

describe("a provider that fills a template", () => {
  it("sends each recipient what is theirs, and answers for each under its own place", async () => {
    const targets = [target("Ada"), target("Bob"), target("Cat")]
    const { asked, batches, outcomes } = await send({ title: "Hi {{ contact.attributes.name }}, {{ order }}" }, targets)
    // All at once: no message to the thread for each of them.
    expect(asked).toEqual([3])
    expect(
      batches.map(({ content, targets, isOneOfAKind }) => [content.title, targets, isOneOfAKind]).toSorted()
    ).toEqual([
      ["Hi Ada, No. 1", 1, true],
      ["Hi Bob, No. 1", 1, true],
      ["Hi Cat, No. 1", 1, true]
    ])
    expect(outcomes).toEqual(targets.map(({ id }) => ({ _tag: "Ok", messageId: id })))
  })

  it("renders what says the same to all once for each language, however many batches there are", async () => {
    const targets = [target("a", "de-AT"), target("b"), target("c", "de"), target("d", "fr")]
    const { batches, outcomes, asked, askedByTwo } = await send({ title: "Hello" }, targets, {
      de: { title: "Hallo {{ order }}" }
    })
    expect(batches).toEqual([
      { content: { title: "Hallo No. 1" }, targets: 2, isOneOfAKind: false },
      { content: { title: "Hello" }, targets: 2, isOneOfAKind: false }
    ])
    expect(outcomes).toEqual(targets.map(({ id }) => ({ _tag: "Ok", messageId: id })))
    expect([asked, askedByTwo]).toEqual([[2], [2]])
  })

  it("fills what is too much to be kept at once in parts, each sent before the next is filled", async () => {
    const targets = Array.from({ length: 40 }, (_, i) => target(`N${i}`))
    const html = `${"x".repeat(200_000)}{{ contact.attributes.name }}`
    const { asked, batches, outcomes } = await send({ html }, targets)
    expect(asked).toEqual([40, 30, 20, 10])
    expect(batches.map(({ content }) => content.html!.slice(200_000))).toEqual(targets.map((_, i) => `N${i}`))
    expect(outcomes).toEqual(targets.map(({ id }) => ({ _tag: "Ok", messageId: id })))
  })

  it("fails with its reason for whom it cannot be filled, and for nobody else", async () => {
    const targets = [target("Ada"), target(null), target("Bob")]
    const { batches, outcomes } = await send({ title: "Hi {{ contact.attributes.name }}" }, targets)
    expect(batches).toHaveLength(2)
    expect(outcomes[1]).toEqual({ _tag: "Fail", reason: "missing_variable: contact.attributes.name" })
    const link = await send({ title: "a", url: "{{ contact.attributes.name }}" }, [target("javascript:alert(1)")])
    expect(link.outcomes[0]).toMatchObject({
      _tag: "Fail",
      reason: expect.stringContaining("template_failed: content.url")
    })
  })
})
