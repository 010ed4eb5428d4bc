import { Clock, Context, Effect, Layer, Option } from "effect"
import type { AppId, NotificationId, OrganizationId } from "../../domain/Ids.ts"
import type { CredentialKind } from "../../domain/sending/Credential.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import { unreachableHost } from "../../domain/sending/VapidSubject.ts"
import { ApplicationStore } from "../../ports/access/ApplicationStore.ts"
import type { Target } from "../../ports/audience/AudienceStore.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import type { Outcome, Provider } from "../../ports/sending/Provider.ts"
import { ApnsProvider, FcmProvider, SmtpProvider } from "../../ports/sending/Provider.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { isVapidPair } from "./VapidPair.ts"

/** What a provider said when it was asked. */
export interface CredentialCheck {
  /**
   * `accepted`: the provider knows the sender. `refused`: it does not take messages with this credential. `unreachable`:
   * it gave no answer that says either. `unasked`: there is nobody to ask, and what can be judged without is right.
   */
  readonly status: "accepted" | "refused" | "unreachable" | "unasked"
  /** Why, in words; null when it was accepted. */
  readonly reason: string | null
  /** Epoch milliseconds. */
  readonly checkedAt: number
}

/** Longer than a connection, a token and an answer take, even of a slow mail server. */
const DEADLINE = "25 seconds"
/** Of one organization, and of all. Nobody waits for a place: what others check is no reason to hear later of one's own. */
const OF_ONE = 4
const AT_ONCE = 64
const TOO_MANY = "several checks are under way: ask again when they have ended"
/** How long the message of a check may be delivered. */
const LIFE_MS = 60_000

const NO_SUBSCRIBER =
  "The keys are a pair, and the subject is an address that push services take. They themselves are asked with a browser's subscription: send a push to a browser of yours to see that it arrives"
const NO_PAIR = "the VAPID keys of the credential are not a pair of P-256"

/** Recipients that nobody has: what providers answer to them shows that they knew the sender. */
const NOBODY: Readonly<Record<"apns" | "fcm" | "smtp", string>> = {
  apns: "0".repeat(64),
  fcm: `${"0".repeat(22)}:${"0".repeat(140)}`,
  smtp: "nobody@example.invalid"
}

const targetOf = (kind: keyof typeof NOBODY, at: number): Target => ({
  id: uuidv7(at),
  address: NOBODY[kind],
  environment: "production",
  p256dh: null,
  auth: null,
  seenAt: at
})

const messageOf = (appId: AppId, at: number): Message => ({
  notificationId: uuidv7(at) as NotificationId,
  appId,
  content: { title: "Check", body: "Check" },
  priority: "high",
  expiresAt: at + LIFE_MS,
  nowOrNever: false,
  collapseKey: null,
  overrides: {}
})

type Answer = Omit<CredentialCheck, "checkedAt">

const said = (status: CredentialCheck["status"], reason: string | null): Answer => ({ status, reason })

/** What an outcome for nobody says of the sender. */
const answerOf = (outcome: Outcome | null): Answer => {
  switch (outcome?._tag) {
    case "Ok":
    case "Drop":
    // The session was opened, and no mail was begun in it.
    case "Withheld":
      return said("accepted", null)
    case "Suspend":
    case "Refused":
    case "Fail":
      return said("refused", outcome.reason)
    case "Retry":
    case "Slow":
      return said("unreachable", outcome.reason)
    default:
      return said("unreachable", "no answer in time")
  }
}

/** Asks providers whether they take a credential, so that nobody has to send a message to find out. */
export class CredentialChecks extends Context.Service<
  CredentialChecks,
  {
    /** Reads the credential; run, it asks, for 25 seconds at most. None when the application has no such credential. */
    readonly prepare: (
      appId: AppId,
      kind: CredentialKind
    ) => Effect.Effect<Option.Option<Effect.Effect<CredentialCheck, StoreError>>, StoreError>
  }
>()("heliograph/engine/CredentialChecks") {
  static readonly layer: Layer.Layer<
    CredentialChecks,
    never,
    ApplicationStore | CredentialStore | ApnsProvider | FcmProvider | SmtpProvider
  > = Layer.effect(
    CredentialChecks,
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const providers = { apns: yield* ApnsProvider, fcm: yield* FcmProvider, smtp: yield* SmtpProvider }
      const applications = yield* ApplicationStore
      /** By organization: how many are under way. */
      const underWay = new Map<OrganizationId | null, number>()
      let all = 0

      /** Push goes to nobody; of mail, only the session is opened: some servers take mail for anybody. */
      const ask = Effect.fnUntraced(function* (
        provider: Provider,
        credential: Credential,
        kind: keyof typeof NOBODY,
        at: number
      ) {
        let outcome: Outcome | null = null
        const application = yield* applications.find(credential.appId)
        const organization = Option.getOrNull(Option.map(application, ({ organizationId }) => organizationId))
        const theirs = underWay.get(organization) ?? 0
        if (all >= AT_ONCE || theirs >= OF_ONE) return TOO_MANY
        const batch = {
          message: messageOf(credential.appId, at),
          credential,
          targets: [targetOf(kind, at)],
          ...(kind === "smtp" && { mayBegin: () => false })
        }
        all++
        underWay.set(organization, theirs + 1)
        yield* provider
          .send(batch, (_, one) => void (outcome = one))
          .pipe(
            Effect.timeoutOption(DEADLINE),
            Effect.ensuring(
              Effect.sync(() => {
                all--
                const left = underWay.get(organization)! - 1
                if (left > 0) underWay.set(organization, left)
                else underWay.delete(organization)
              })
            )
          )
        return outcome as Outcome | null
      })

      /** What was found out is what everybody is told of the credential, and what waited for it goes out. */
      const note = (kind: CredentialKind, { appId, suspendedReason, version }: Credential, outcome: Outcome | null) => {
        if (outcome?._tag === "Suspend") return store.suspend(appId, kind, version, outcome.reason)
        const isAccepted = answerOf(outcome).status === "accepted"
        return isAccepted && suspendedReason !== null ? store.release(appId, kind, version) : Effect.void
      }

      /** What no push service has to be asked for. What one of them refused for is not tried anew without a subscription. */
      const judge = Effect.fnUntraced(function* ({ appId, config, suspendedReason, version }: Credential) {
        if (config.kind !== "webpush") return said("unasked", null)
        const { private_key, public_key, subject } = config.value
        if (!(yield* isVapidPair(public_key, private_key))) {
          yield* store.suspend(appId, "webpush", version, NO_PAIR)
          return said("refused", NO_PAIR)
        }
        const host = unreachableHost(subject)
        if (host !== null) {
          return said(
            "refused",
            `subject names ${host}, where nobody can be reached: Apple's push service refuses all messages of such a sender (BadJwtToken)`
          )
        }
        return suspendedReason === null ? said("unasked", NO_SUBSCRIBER) : said("refused", suspendedReason)
      })

      const check = Effect.fnUntraced(function* (kind: CredentialKind, credential: Credential) {
        const checkedAt = yield* Clock.currentTimeMillis
        if (kind === "webpush") return { ...(yield* judge(credential)), checkedAt }
        const outcome = yield* ask(providers[kind], credential, kind, checkedAt)
        if (outcome === TOO_MANY) return { ...said("unreachable", TOO_MANY), checkedAt }
        yield* note(kind, credential, outcome)
        return { ...answerOf(outcome), checkedAt }
      })

      return CredentialChecks.of({
        prepare: (appId, kind) =>
          Effect.map(
            store.find(appId, kind),
            Option.map((credential) => check(kind, credential))
          )
      })
    })
  )
}
