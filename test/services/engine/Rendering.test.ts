import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { layer } from "../../../layers/liquid/TemplateEngine.ts"
import type { AppId, NotificationId, TemplateVersionId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { Content } from "../../../services/domain/Notification.ts"
import type { Person, TemplateBody } from "../../../services/domain/Template.ts"
import { filling, makeRendering } from "../../../services/engine/Rendering.ts"
import type { Target } from "../../../services/ports/AudienceStore.ts"
import type { Credential } from "../../../services/ports/CredentialStore.ts"
import type { Outcome, SendBatch } from "../../../services/ports/Provider.ts"
import { TemplateEngine } from "../../../services/ports/TemplateEngine.ts"

const engine = Effect.runSync(Effect.provide(TemplateEngine, layer))

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
  const compiled = Result.getOrThrow(engine.compile({ content, locales, missing_variables: "error" }))
  let renders = 0
  const counting = {
    ...compiled,
    render: (...of: Parameters<typeof compiled.render>) => (renders++, compiled.render(...of))
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
    makeRendering(counting, { order: "No. 1" })
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
  const first = { batches: [...batches], outcomes: [...outcomes], renders }
  await Effect.runPromise(all)
  return { ...first, rendersOfTwo: renders }
}

describe("a provider that fills a template", () => {
  it("sends each recipient what is theirs, and answers for each under its own place", async () => {
    const targets = [target("Ada"), target("Bob"), target("Cat")]
    const { batches, outcomes } = await send({ title: "Hi {{ contact.attributes.name }}, {{ order }}" }, targets)
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
    const { batches, outcomes, renders, rendersOfTwo } = await send({ title: "Hello" }, targets, {
      de: { title: "Hallo {{ order }}" }
    })
    expect(batches).toEqual([
      { content: { title: "Hallo No. 1" }, targets: 2, isOneOfAKind: false },
      { content: { title: "Hello" }, targets: 2, isOneOfAKind: false }
    ])
    expect(outcomes).toEqual(targets.map(({ id }) => ({ _tag: "Ok", messageId: id })))
    expect([renders, rendersOfTwo]).toEqual([2, 2])
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
