import { Effect, Layer, Option } from "effect"
import type { ApiKey, Application } from "../../services/domain/Application.ts"
import type { AppId } from "../../services/domain/Ids.ts"
import type { NewApplication } from "../../services/ports/ApplicationStore.ts"
import { ApplicationStore } from "../../services/ports/ApplicationStore.ts"
import type { Outage } from "./Outage.ts"

/** Applications in a map. `queries` counts the look-ups of keys; a key is revoked by deleting it. */
export class ApplicationTable {
  readonly applications = new Map<AppId, Application>()
  readonly identitySecrets = new Map<AppId, string>()
  /** By the hexadecimal digits of the hash. */
  readonly keys = new Map<string, ApiKey>()
  queries = 0
  /** What a look-up of a key waits for. */
  beforeQuery: Effect.Effect<void> = Effect.void

  layer(outage: Outage): Layer.Layer<ApplicationStore> {
    const insert = ({ id, organizationId, name, identitySecret, keys }: NewApplication): Application => {
      const application = { id, organizationId, name, identityVerification: true, createdAt: Date.now() }
      this.applications.set(id, application)
      this.identitySecrets.set(id, identitySecret)
      for (const key of keys) this.keys.set(key.hash.toHex(), { id: key.id, appId: id, kind: key.kind })
      return application
    }
    return Layer.succeed(ApplicationStore, {
      create: (application) => outage.run("create", () => insert(application)),
      createFirst: (application) =>
        outage.run("createFirst", () =>
          this.applications.size > 0 ? Option.none() : Option.some(insert(application))
        ),
      find: (id) => outage.run("find", () => Option.fromUndefinedOr(this.applications.get(id))),
      identitySecret: (id) => outage.run("identitySecret", () => Option.fromUndefinedOr(this.identitySecrets.get(id))),
      count: outage.run("count", () => this.applications.size),
      findKey: (hash) =>
        Effect.andThen(
          Effect.suspend(() => this.beforeQuery),
          outage.run("findKey", () => {
            this.queries++
            return Option.fromUndefinedOr(this.keys.get(hash.toHex()))
          })
        )
    })
  }
}
