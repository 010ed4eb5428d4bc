import { Layer, Option } from "effect"
import type { CredentialConfig, CredentialKind } from "../../../services/domain/sending/Credential.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { CredentialSummary } from "../../../services/ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../../services/ports/sending/CredentialStore.ts"
import type { Outage } from "../Outage.ts"

interface Row {
  readonly config: CredentialConfig
  readonly version: number
  readonly suspendedReason: string | null
  readonly updatedAt: number
}

/** Credentials in a map. Its summaries hide nothing: what must not be shown is for the API to keep back. */
export class CredentialTable {
  readonly rows = new Map<string, Row>()

  layer(outage: Outage): Layer.Layer<CredentialStore> {
    const key = (appId: AppId, kind: CredentialKind) => `${appId}:${kind}`
    const summary = ({ config, suspendedReason, updatedAt }: Row): CredentialSummary => ({
      kind: config.kind,
      settings: config.value as unknown as Record<string, unknown>,
      suspendedReason,
      updatedAt
    })
    return Layer.mock(CredentialStore, {
      put: (appId, config) =>
        outage.run("put", () => {
          const version = (this.rows.get(key(appId, config.kind))?.version ?? 0) + 1
          const row: Row = { config, version, suspendedReason: null, updatedAt: Date.now() }
          this.rows.set(key(appId, config.kind), row)
          return summary(row)
        }),
      find: (appId, kind) =>
        outage.run("find", () =>
          Option.map(Option.fromUndefinedOr(this.rows.get(key(appId, kind))), (row) => ({ appId, ...row }))
        ),
      summaries: (appId) =>
        outage.run("summaries", () =>
          [...this.rows].filter(([name]) => name.startsWith(appId)).map(([, row]) => summary(row))
        ),
      remove: (appId, kind) => outage.run("remove", () => this.rows.delete(key(appId, kind)))
    })
  }
}
