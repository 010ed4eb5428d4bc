import { Layer, Option } from "effect"
import type { AppId, TemplateId, TemplateVersionId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Template, TemplateBody } from "../../../services/domain/messages/Template.ts"
import { TemplateStore } from "../../../services/ports/messages/TemplateStore.ts"
import type { Outage } from "../Outage.ts"
import { pageOf } from "../Outage.ts"

type Row = Template & { readonly appId: AppId }

/** Templates in a list, their versions in a map. */
export class TemplateTable {
  rows: Array<Row> = []
  readonly versions = new Map<TemplateVersionId, TemplateBody>()
  /** Called before a change is written: another may come first. */
  beforeUpdate: (row: Row) => void = () => {}

  #version(body: TemplateBody): TemplateVersionId {
    const id = uuidv7() as TemplateVersionId
    this.versions.set(id, body)
    return id
  }

  put(row: Row, name: string, body: TemplateBody): Row {
    const next = { ...row, name, body, version: row.version + 1, versionId: this.#version(body), updatedAt: Date.now() }
    this.rows = this.rows.map((one) => (one.id === row.id ? next : one))
    return next
  }

  layer(outage: Outage): Layer.Layer<TemplateStore> {
    const one = (appId: AppId, id: TemplateId) =>
      Option.fromUndefinedOr(this.rows.find((row) => row.appId === appId && row.id === id))
    return Layer.succeed(TemplateStore, {
      create: (appId, name, body) =>
        outage.run("create", () => {
          const now = Date.now()
          const id = uuidv7() as TemplateId
          const row = {
            appId,
            id,
            name,
            body,
            version: 1,
            versionId: this.#version(body),
            createdAt: now,
            updatedAt: now
          }
          this.rows.push(row)
          return row
        }),
      find: (appId, id) => outage.run("find", () => one(appId, id)),
      list: (appId, after, limit) =>
        outage.run("list", () =>
          pageOf(
            this.rows.filter((row) => row.appId === appId),
            after,
            limit
          )
        ),
      update: (appId, id, version, name, body) =>
        outage.run("update", () => {
          const before = one(appId, id)
          if (Option.isSome(before)) this.beforeUpdate(before.value)
          return one(appId, id).pipe(
            Option.filter((row) => row.version === version),
            Option.map((row) => this.put(row, name, body))
          )
        }),
      remove: (appId, id) =>
        outage.run("remove", () => {
          const found = one(appId, id)
          this.rows = this.rows.filter((row) => row.appId !== appId || row.id !== id)
          return Option.isSome(found)
        }),
      latest: (appId, id) => outage.run("latest", () => Option.map(one(appId, id), ({ versionId }) => versionId)),
      body: (version) => outage.run("body", () => Option.fromUndefinedOr(this.versions.get(version)))
    })
  }
}
