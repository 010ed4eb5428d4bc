import { Effect, Option, Result } from "effect"
import type { ProviderKind } from "../domain/Credential.ts"
import type { AppId, NotificationId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { Content, KeptRequest, Message, SendNotification, Way } from "../domain/Notification.ts"
import { now } from "../domain/Now.ts"
import type { Person } from "../domain/Template.ts"
import { AudienceStore } from "../ports/AudienceStore.ts"
import type { Credential } from "../ports/CredentialStore.ts"
import { CredentialStore } from "../ports/CredentialStore.ts"
import type { PayloadSize } from "../ports/PayloadSizes.ts"
import { PayloadSizes } from "../ports/PayloadSizes.ts"
import type { RenderProblem } from "../ports/TemplateEngine.ts"
import { checkContent } from "./Accept.ts"
import { makePinning } from "./Pinning.ts"
import { PROVIDERS, reachedBy, waysOf } from "./Reach.ts"
import { makeRendering } from "./Rendering.ts"
import { Templates } from "./Templates.ts"

/** How long counting may take before it is an estimate. */
const PATIENCE_MS = 3000
/** Recipients among whom a sample is looked for. */
const LOOK = 100

export interface ProviderPreview {
  readonly provider: ProviderKind
  readonly recipients: number
  /** `ready`: there is one, or none is needed, and nothing was said against it. `refused`: by the provider, or it cannot be read. */
  readonly credential: "ready" | "refused" | "missing"
  readonly payload: PayloadSize | null
  /** What a recipient of this provider would get; null where the template cannot be filled for it, or nobody is known to fill it for. */
  readonly sample: Content | null
  readonly problem: RenderProblem | null
}

export interface Preview {
  readonly isExact: boolean
  readonly providers: ReadonlyArray<ProviderPreview>
}

const stateOf = (credential: Option.Option<Credential>): ProviderPreview["credential"] =>
  Option.isNone(credential) ? "missing" : credential.value.held === null ? "ready" : "refused"

/** What would become of a request. It changes nothing: not even the channels of unknown addresses are made. */
export const makePreview = Effect.gen(function* () {
  const audiences = yield* AudienceStore
  const credentials = yield* CredentialStore
  const templates = yield* Templates
  const sizes = yield* PayloadSizes
  const pin = yield* makePinning

  /** Somebody of each provider, as far as the first page of the audience has one. Inboxes would be made by looking. */
  const samples = Effect.fnUntraced(function* (appId: AppId, { to }: KeptRequest, ways: ReadonlyArray<Way>) {
    const people = new Map<ProviderKind, Person>()
    if (to.emails !== undefined) return people
    const seen = ways.filter((way) => way !== "inbox")
    const { recipients } = yield* audiences.page(appId, to, seen, null, LOOK)
    for (const provider of PROVIDERS) {
      const targets = yield* audiences.targets(appId, provider, recipients[provider].slice(0, 1), true)
      if (targets[0]?.person !== undefined) people.set(provider, targets[0].person)
    }
    return people
  })

  const renderingOf = Effect.fnUntraced(function* ({ template, variables }: KeptRequest) {
    if (template === undefined) return null
    const compiled = yield* templates.version(template.version)
    return Option.isNone(compiled) ? null : makeRendering(compiled.value, variables ?? {})
  })

  const messageOf = (appId: AppId, request: KeptRequest, content: Content): Message => {
    return {
      notificationId: uuidv7() as NotificationId,
      appId,
      content,
      priority: request.priority ?? "bulk",
      expiresAt: now() + (request.ttl ?? 0) * 1000,
      nowOrNever: request.ttl === 0,
      collapseKey: request.collapse_key ?? null,
      overrides: request.overrides ?? {}
    }
  }

  return Effect.fnUntraced(function* (appId: AppId, given: SendNotification) {
    const request = yield* pin(appId, given)
    yield* checkContent(request)
    const ways = waysOf(request)
    const reaches = reachedBy(request)
    const { isExact, recipients } = yield* audiences.count(appId, request.to, ways, PATIENCE_MS)
    const rendering = yield* renderingOf(request)
    const people = rendering === null ? new Map<ProviderKind, Person>() : yield* samples(appId, request, ways)
    const shown = yield* Effect.forEach(
      PROVIDERS.filter((provider) => reaches(provider) && recipients[provider] > 0),
      Effect.fnUntraced(function* (provider) {
        const person = people.get(provider)
        const filled: Result.Result<Content, RenderProblem> | null =
          rendering === null
            ? Result.succeed(request.content ?? {})
            : person === undefined && rendering.likeness(person) === null
              ? null
              : rendering.of(person)
        const sample = filled !== null && Result.isSuccess(filled) ? filled.success : null
        return {
          provider,
          recipients: recipients[provider],
          credential: provider === "inbox" ? "ready" : stateOf(yield* credentials.find(appId, provider)),
          payload: sample === null ? null : sizes.sizeOf(provider, messageOf(appId, request, sample)),
          sample,
          problem: filled !== null && Result.isFailure(filled) ? filled.failure : null
        } satisfies ProviderPreview
      })
    )
    return { isExact, providers: shown } satisfies Preview
  })
})
