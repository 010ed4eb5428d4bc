import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as OwnershipStores from "../../../../layers/postgres/people/OwnershipStore.ts"
import type { AppId, OrganizationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { ObjectKind } from "../../../../services/ports/people/OwnershipStore.ts"
import { OwnershipStore } from "../../../../services/ports/people/OwnershipStore.ts"
import { testDatabase } from "../../../Database.ts"
import { newApp } from "../Stores.ts"

const stores = OwnershipStores.layer.pipe(Layer.provideMerge(testDatabase()))

const organizationOf = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly id: OrganizationId
  }>`SELECT organization_id AS id FROM applications WHERE id = ${app}`
  return row!.id
})

layer(stores)("OwnershipStore", (it) => {
  it.effect("finds the application of a thing among those of the organizations that are named, and no other's", () =>
    Effect.gen(function* () {
      const ownership = yield* OwnershipStore
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newApp, yield* newApp]
      const [organization, foreign] = [yield* organizationOf(app), yield* organizationOf(other)]
      const id = uuidv7()
      yield* sql`INSERT INTO webhooks (id, app_id, name, url) VALUES (${id}, ${app}, 'A webhook', 'https://example.com/')`
      const find = (organizations: ReadonlyArray<OrganizationId>, kind: ObjectKind, thing: string) =>
        ownership.applicationOf(organizations, kind, thing)
      expect(yield* find([organization], "webhook", id)).toEqual(Option.some(app))
      expect(yield* find([foreign, organization], "webhook", id.toUpperCase())).toEqual(Option.some(app))
      for (const wrong of [
        find([foreign], "webhook", id),
        find([], "webhook", id),
        find([organization], "segment", id),
        find([organization], "webhook", uuidv7()),
        find([organization], "webhook", "no id"),
        find([organization], "webhook", app)
      ]) {
        expect(yield* wrong).toEqual(Option.none())
      }
    })
  )

  it.effect("knows where each kind of thing is kept", () =>
    Effect.gen(function* () {
      const ownership = yield* OwnershipStore
      const app = yield* newApp
      const kinds: ReadonlyArray<ObjectKind> = [
        "device",
        "contact",
        "channel",
        "segment",
        "template",
        "templateVersion",
        "notification",
        "webhook",
        "redelivery",
        "deadLetter",
        "replay",
        "apiKey"
      ]
      const organization = yield* organizationOf(app)
      for (const kind of kinds) {
        expect([kind, yield* ownership.applicationOf([organization], kind, uuidv7())]).toEqual([kind, Option.none()])
      }
    })
  )
})
