import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { ObjectKind } from "../../../services/ports/people/OwnershipStore.ts"
import { OwnershipStore } from "../../../services/ports/people/OwnershipStore.ts"
import { isUuid, uuids } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"

const TABLES: Readonly<Record<ObjectKind, string>> = {
  device: "devices",
  contact: "contacts",
  channel: "channels",
  segment: "segments",
  template: "templates",
  templateVersion: "template_versions",
  notification: "notifications",
  webhook: "webhooks",
  redelivery: "redeliveries",
  deadLetter: "dead_letters",
  replay: "replays",
  apiKey: "api_keys",
  workflow: "workflows",
  execution: "executions"
}

export const layer: Layer.Layer<OwnershipStore, never, SqlClient.SqlClient> = Layer.effect(
  OwnershipStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    OwnershipStore.of({
      // By the applications first: devices and channels are found by application and id.
      applicationOf: (organizations, kind, id) =>
        organizations.length === 0 || !isUuid(id)
          ? Effect.succeed(Option.none())
          : sql<{ readonly app_id: AppId }>`
              SELECT a.id AS app_id FROM applications a
              CROSS JOIN LATERAL (SELECT FROM ${sql(TABLES[kind])} WHERE app_id = a.id AND id = ${id} OFFSET 0) AS t
              WHERE a.organization_id = ANY(${uuids(organizations)}) LIMIT 1`.pipe(
              Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), ({ app_id }) => app_id)),
              storeError("OwnershipStore.applicationOf")
            )
    })
  )
)
