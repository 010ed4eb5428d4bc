import { Layer, Option } from "effect"
import type { Device, RegisterDevice } from "../../../services/domain/audience/Device.ts"
import { storedToken } from "../../../services/domain/audience/Device.ts"
import type { AppId, DeviceId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { DeviceFilter, NamedDevice } from "../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import type { Outage } from "../Outage.ts"
import { pageOf } from "../Outage.ts"

interface Row extends Device {
  readonly appId: AppId
}

const isMeant = (row: Row, filter: DeviceFilter): boolean =>
  (filter.platform ?? row.platform) === row.platform &&
  (filter.environment ?? row.environment) === row.environment &&
  (filter.status ?? row.status) === row.status &&
  (filter.userId ?? row.userId) === row.userId &&
  (filter.tagsAny === undefined || filter.tagsAny.some((tag) => row.tags.includes(tag))) &&
  (filter.tagsAll === undefined || filter.tagsAll.every((tag) => row.tags.includes(tag))) &&
  row.createdAt >= (filter.createdFrom ?? 0) &&
  row.createdAt < (filter.createdBefore ?? Infinity) &&
  row.lastSeenAt >= (filter.seenFrom ?? 0) &&
  row.lastSeenAt < (filter.seenBefore ?? Infinity)

/** Devices in a map by application and token. `chunks` notes the size of each call of register. */
export class DeviceTable {
  readonly rows = new Map<string, Row>()
  readonly chunks: Array<number> = []
  /** Called before a chunk is stored. */
  beforeChunk: (chunk: number) => void = () => {}
  /** Called before a page is read. */
  beforeList: () => void = () => {}

  #of(appId: AppId): Array<Row> {
    return [...this.rows.values()].filter((row) => row.appId === appId).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  #register(appId: AppId, given: RegisterDevice) {
    const token = storedToken(given)
    const key = `${appId}:${token}`
    const old = this.rows.get(key)
    const id = old?.id ?? (uuidv7() as DeviceId)
    this.rows.set(key, {
      id,
      appId,
      token,
      platform: given.platform,
      userId: given.user_id ?? null,
      tags: [...new Set(given.tags)],
      timezone: given.timezone ?? null,
      environment: given.environment ?? "production",
      metadata: given.metadata ?? {},
      p256dh: given.web_push_p256dh ?? null,
      auth: given.web_push_auth ?? null,
      status: "active",
      invalidReason: null,
      createdAt: old?.createdAt ?? Date.now(),
      lastSeenAt: Date.now()
    })
    return { id, created: old === undefined }
  }

  /** As when a provider calls its token dead. */
  invalidate(id: string): void {
    for (const [key, row] of this.rows) {
      if (row.id === id) this.rows.set(key, { ...row, status: "invalid", invalidReason: "Unregistered" })
    }
  }

  among(appId: AppId, ids: ReadonlyArray<string>): ReadonlyArray<NamedDevice> {
    return this.#of(appId)
      .filter(({ id }) => ids.includes(id))
      .map(({ id, platform, status }) => ({ id, platform, active: status === "active" }))
  }

  layer(outage: Outage): Layer.Layer<DeviceStore> {
    return Layer.succeed(DeviceStore, {
      register: (appId, devices) => {
        this.beforeChunk(this.chunks.length)
        return outage.run("register", () => {
          this.chunks.push(devices.length)
          return devices.map((device) => this.#register(appId, device))
        })
      },
      removeByToken: (appId, token) =>
        outage.run("removeByToken", () => {
          const platform = this.rows.get(`${appId}:${token.toLowerCase()}`)?.platform
          return this.rows.delete(`${appId}:${platform === "ios" ? token.toLowerCase() : token}`)
        }),
      remove: (appId, id) =>
        outage.run("remove", () => {
          const row = this.#of(appId).find((row) => row.id === id)
          return row !== undefined && this.rows.delete(`${appId}:${row.token}`)
        }),
      find: (appId, id) =>
        outage.run("find", () => Option.fromUndefinedOr(this.#of(appId).find((row) => row.id === id))),
      update: (appId, id, change) =>
        outage.run("update", () => {
          const row = this.#of(appId).find((row) => row.id === id)
          if (row === undefined) return Option.none()
          const changed: Row = {
            ...row,
            userId: change.user_id === undefined ? row.userId : change.user_id,
            tags: change.tags === undefined ? row.tags : [...new Set(change.tags)],
            timezone: change.timezone === undefined ? row.timezone : change.timezone,
            environment: change.environment ?? row.environment,
            metadata: change.metadata ?? row.metadata
          }
          this.rows.set(`${appId}:${row.token}`, changed)
          return Option.some(changed)
        }),
      list: (appId, filter, after, limit) => {
        this.beforeList()
        return outage.run("list", () =>
          pageOf(
            this.#of(appId).filter((row) => isMeant(row, filter)),
            after,
            limit
          )
        )
      },
      among: (appId, ids) => outage.run("among", () => this.among(appId, ids))
    })
  }
}
