import { Effect, Layer, Option } from "effect"
import type { ApiKey, ApiKeyInfo, Application } from "../../../services/domain/access/Application.ts"
import { KEYS_PER_APPLICATION } from "../../../services/domain/access/Application.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { NewApiKey, NewApplication } from "../../../services/ports/access/ApplicationStore.ts"
import { ApplicationStore, LastSecretKey, TooManyKeys } from "../../../services/ports/access/ApplicationStore.ts"
import type { Outage } from "../Outage.ts"
import { pageOf } from "../Outage.ts"

/** Applications in a map. `queries` counts the look-ups of keys; a key is revoked by deleting it. */
export class ApplicationTable {
  readonly applications = new Map<AppId, Application>()
  readonly identitySecrets = new Map<AppId, ReadonlyArray<string>>()
  /** By the hexadecimal digits of the hash. */
  readonly keys = new Map<string, ApiKey & Partial<ApiKeyInfo>>()
  queries = 0
  /** The ids that each write of uses named. */
  readonly touched: Array<ReadonlyArray<string>> = []
  /** What a look-up of a key waits for. */
  beforeQuery: Effect.Effect<void> = Effect.void

  layer(outage: Outage): Layer.Layer<ApplicationStore> {
    const infoOf = (appId: AppId, { hint, id, kind, name }: NewApiKey): ApiKeyInfo => ({
      id,
      appId,
      kind,
      name,
      hint,
      createdAt: Date.now(),
      lastUsedAt: null
    })
    const insert = ({ id, organizationId, name, identitySecret, keys }: NewApplication): Application => {
      const application = {
        id,
        organizationId,
        name,
        identityVerification: true,
        formerIdentityUntil: null,
        createdAt: Date.now()
      }
      this.applications.set(id, application)
      this.identitySecrets.set(id, [identitySecret])
      for (const key of keys) this.keys.set(key.hash.toHex(), infoOf(id, key))
      return application
    }
    const change = (id: AppId, fields: Partial<Application>) => {
      const application = this.applications.get(id)
      if (application === undefined) return Option.none()
      const changed = { ...application, ...fields }
      this.applications.set(id, changed)
      return Option.some(changed)
    }
    const keysOf = (appId: AppId) => [...this.keys].filter(([, key]) => key.appId === appId)
    return Layer.succeed(ApplicationStore, {
      create: (application) => outage.run("create", () => insert(application)),
      createFirst: (application) =>
        outage.run("createFirst", () =>
          this.applications.size > 0 ? Option.none() : Option.some(insert(application))
        ),
      find: (id) => outage.run("find", () => Option.fromUndefinedOr(this.applications.get(id))),
      update: (id, { identity_verification, name }) =>
        outage.run("update", () =>
          change(id, {
            ...(name === undefined ? {} : { name }),
            ...(identity_verification === undefined ? {} : { identityVerification: identity_verification })
          })
        ),
      identitySecrets: (id) => outage.run("identitySecrets", () => this.identitySecrets.get(id) ?? []),
      setIdentitySecret: (id, secret, overlapMs) =>
        outage.run("setIdentitySecret", () => {
          const [former] = this.identitySecrets.get(id) ?? []
          this.identitySecrets.set(id, overlapMs === 0 ? [secret] : [secret, former!])
          return change(id, { formerIdentityUntil: overlapMs === 0 ? null : Date.now() + overlapMs })
        }),
      count: outage.run("count", () => this.applications.size),
      findKey: (hash) =>
        Effect.andThen(
          Effect.suspend(() => this.beforeQuery),
          outage.run("findKey", () => {
            this.queries++
            return Option.fromUndefinedOr(this.keys.get(hash.toHex()))
          })
        ),
      keys: (appId, after, limit) =>
        outage.run("keys", () => {
          const rows = keysOf(appId).map(([, key]) => ({
            name: "",
            hint: "",
            createdAt: 0,
            lastUsedAt: null,
            ...key
          }))
          return pageOf(
            rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
            after,
            limit
          )
        }),
      createKey: (appId, key) =>
        outage
          .run("createKey", () => keysOf(appId).length)
          .pipe(
            Effect.filterOrFail(
              (count) => count < KEYS_PER_APPLICATION,
              () => new TooManyKeys({ limit: KEYS_PER_APPLICATION })
            ),
            Effect.map(() => {
              const info = infoOf(appId, key)
              this.keys.set(key.hash.toHex(), info)
              return info
            })
          ),
      revokeKey: (appId, id) =>
        outage
          .run("revokeKey", () => keysOf(appId))
          .pipe(
            Effect.flatMap((all) => {
              const found = all.find(([, key]) => key.id === id)
              if (found === undefined) return Effect.succeed(false)
              const [hash, { kind }] = found
              if (kind === "secret" && all.filter(([, key]) => key.kind === "secret").length === 1) {
                return Effect.fail(new LastSecretKey())
              }
              this.keys.delete(hash)
              return Effect.succeed(true)
            })
          ),
      touchKeys: (ids) => outage.run("touchKeys", () => void this.touched.push(ids))
    })
  }
}
