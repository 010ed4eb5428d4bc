import { Effect, Option, Result } from "effect"
import { METADATA_BYTES } from "../../domain/audience/Device.ts"
import { inboxContentOf } from "../../domain/inbox/Inbox.ts"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type {
  Content,
  KeptRequest,
  Message,
  SendNotification,
  Unknown,
  Way
} from "../../domain/sending/Notification.ts"
import { now } from "../../ports/Now.ts"
import type { Person } from "../../domain/messages/Template.ts"
import { AudienceStore } from "../../ports/audience/AudienceStore.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import type { PayloadSize } from "../../ports/sending/PayloadSizes.ts"
import { PayloadSizes } from "../../ports/sending/PayloadSizes.ts"
import type { Rendered, RenderProblem } from "../../ports/messages/TemplateEngine.ts"
import { bytesOf, checkContent } from "../sending/Accept.ts"
import { makeNamed } from "../sending/Named.ts"
import { makeResolving } from "../sending/Resolving.ts"
import { PROVIDERS, reachedBy, waysOf } from "../sending/Reach.ts"
import { makeRendering, sourceOf } from "../sending/Rendering.ts"
import { untimelyOf } from "../sending/Timing.ts"
import { Templates } from "./Templates.ts"

/** How long counting may take before it is an estimate. */
const TIMEOUT_MS = 3000
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
  /** Ids that the application does not have; null when there are none. */
  readonly skipped: Unknown | null
}

const stateOf = (credential: Option.Option<Credential>): ProviderPreview["credential"] =>
  Option.isNone(credential) ? "missing" : credential.value.suspendedReason === null ? "ready" : "refused"

/** What stands in an inbox, in the words of a request. */
const readInInbox = (content: Content): Content =>
  Object.fromEntries(
    Object.entries(inboxContentOf(content)).filter(
      ([part, value]) => value !== null && (part !== "data" || content.data !== undefined)
    )
  )

/** What would become of a request. It changes nothing: not even the channels of unknown addresses are made. */
export const makePreview = Effect.gen(function* () {
  const audiences = yield* AudienceStore
  const credentials = yield* CredentialStore
  const templates = yield* Templates
  const sizes = yield* PayloadSizes
  const resolve = yield* makeResolving
  const named = yield* makeNamed

  /**
   * Somebody of each provider, as far as the first page of its way has one: a page of all ways would be full of devices.
   * Inboxes, and the channels of addresses, would be made by such a page.
   */
  const samples = Effect.fnUntraced(function* (appId: AppId, { to }: KeptRequest, ways: ReadonlyArray<Way>) {
    const people = new Map<ProviderKind, Person>()
    for (const way of ways) {
      if (way === "inbox" || (way === "email" && to.emails !== undefined)) {
        const person = yield* audiences.someone(appId, to, way, LOOK)
        if (person !== null) people.set(way === "inbox" ? "inbox" : "smtp", person)
        continue
      }
      const { recipients } = yield* audiences.page(appId, to, [way], null, LOOK)
      for (const provider of PROVIDERS) {
        if (recipients[provider].length === 0) continue
        // Those whom an audience names itself may have unsubscribed.
        const targets = yield* audiences.targets(appId, provider, recipients[provider].slice(0, LOOK), true)
        if (targets[0]?.person !== undefined) people.set(provider, targets[0].person)
      }
    }
    return people
  })

  const renderingOf = Effect.fnUntraced(function* (appId: AppId, { template, variables }: KeptRequest) {
    if (template === undefined) return null
    const compiled = yield* templates.version(appId, template.version)
    if (Option.isNone(compiled)) return null
    // Nothing that is sent waits for it.
    return makeRendering({ ...compiled.value, fill: compiled.value.sample }, sourceOf({ variables: variables ?? {} }))
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
    const untimely = untimelyOf(given, now())
    if (untimely !== null) return yield* untimely
    const request = yield* resolve(appId, given)
    yield* checkContent(request)
    const skipped = (yield* named(appId, request.to))?.skipped ?? null
    const ways = waysOf(request)
    const reaches = reachedBy(request)
    const { isExact, recipients } = yield* audiences.count(appId, request.to, ways, TIMEOUT_MS)
    const rendering = yield* renderingOf(appId, request)
    const people = rendering === null ? new Map<ProviderKind, Person>() : yield* samples(appId, request, ways)
    const shown = yield* Effect.forEach(
      PROVIDERS.filter((provider) => reaches(provider) && recipients[provider] > 0),
      Effect.fnUntraced(function* (provider) {
        const person = people.get(provider)
        const filled: Rendered | null =
          rendering === null
            ? Result.succeed(request.content ?? {})
            : person === undefined && rendering.likeness(person) === null
              ? null
              : (yield* rendering.contentsOf([person]))[0]!
        const content = filled !== null && Result.isSuccess(filled) ? filled.success : null
        const sample = content !== null && provider === "inbox" ? readInInbox(content) : content
        return {
          provider,
          recipients: recipients[provider],
          credential: provider === "inbox" ? "ready" : stateOf(yield* credentials.find(appId, provider)),
          payload:
            content === null
              ? null
              : provider === "inbox"
                ? { bytes: bytesOf(content.data), limit: METADATA_BYTES }
                : sizes.sizeOf(provider, messageOf(appId, request, content)),
          sample,
          problem: filled !== null && Result.isFailure(filled) ? filled.failure : null
        } satisfies ProviderPreview
      })
    )
    return { isExact, providers: shown, skipped } satisfies Preview
  })
})
