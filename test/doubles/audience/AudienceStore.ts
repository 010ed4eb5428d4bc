import { Layer } from "effect"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { KeptAudience } from "../../../services/domain/sending/Notification.ts"
import type { Target } from "../../../services/ports/audience/AudienceStore.ts"
import { AudienceStore } from "../../../services/ports/audience/AudienceStore.ts"
import type { Outage } from "../Outage.ts"

const PROVIDERS: ReadonlyArray<ProviderKind> = ["apns", "fcm", "webpush", "smtp", "inbox"]

/** An audience that is the same whoever is asked for. `asked` notes for whom. */
export class AudienceTable {
  readonly asked: Array<KeptAudience> = []
  people: Partial<Record<ProviderKind, ReadonlyArray<Target>>> = {}
  isExact = true

  layer(outage: Outage): Layer.Layer<AudienceStore> {
    const each = <A>(of: (targets: ReadonlyArray<Target>) => A) =>
      Object.fromEntries(PROVIDERS.map((provider) => [provider, of(this.people[provider] ?? [])])) as Record<
        ProviderKind,
        A
      >
    return Layer.succeed(AudienceStore, {
      page: (_, audience) =>
        outage.run("page", () => {
          this.asked.push(audience)
          return { recipients: each((targets) => targets.map(({ id }) => id)), next: null }
        }),
      count: (_, audience) =>
        outage.run("count", () => {
          this.asked.push(audience)
          return { recipients: each((targets) => targets.length), isExact: this.isExact }
        }),
      zones: () => outage.run("zones", () => new Map()),
      unsubscribed: () => outage.run("unsubscribed", () => []),
      targets: (_, provider, ids) =>
        outage.run("targets", () => (this.people[provider] ?? []).filter(({ id }) => ids.includes(id)))
    })
  }
}
