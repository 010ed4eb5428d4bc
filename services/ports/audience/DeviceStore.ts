import type { Effect, Option } from "effect"
import { Context } from "effect"
import type {
  Device,
  DeviceStatus,
  Environment,
  Platform,
  RegisterDevice,
  UpdateDevice
} from "../../domain/audience/Device.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { AppId, DeviceId } from "../../domain/Ids.ts"
import type { StoreError } from "../StoreError.ts"

export interface Registered {
  readonly id: DeviceId
  /** True for a new row, false for one that was refreshed. */
  readonly created: boolean
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The key after which the next page begins; null at the end. */
  readonly next: string | null
}

/** Which devices a list is to have: those that meet every condition. Moments are epoch milliseconds. */
export interface DeviceFilter {
  readonly platform?: Platform | undefined
  readonly environment?: Environment | undefined
  readonly status?: DeviceStatus | undefined
  readonly userId?: string | undefined
  /** With one of them at least. */
  readonly tagsAny?: ReadonlyArray<string> | undefined
  /** With all of them. */
  readonly tagsAll?: ReadonlyArray<string> | undefined
  /** From a moment on, and before one. */
  readonly createdFrom?: number | undefined
  readonly createdBefore?: number | undefined
  readonly seenFrom?: number | undefined
  readonly seenBefore?: number | undefined
  /** Whom it holds: active devices alone. */
  readonly segment?: SegmentFilter | undefined
}

/** What it takes to know of a device how to reach it. */
export interface NamedDevice {
  readonly id: DeviceId
  readonly platform: Platform
  readonly active: boolean
}

/** Devices of an application, by token. A token names at most one row of its application. */
export class DeviceStore extends Context.Service<
  DeviceStore,
  {
    /**
     * Creates or refreshes one row per distinct token; the answers are in the order of the input.
     * Several lines with one token count as one after another: the last wins, the first may have created the row.
     * A refreshed row keeps its id and becomes active again; all else is what the request says, and what it leaves out
     * is as in a new row. Tokens of iOS are the same in capitals, and kept without. With a `previous_token` the row of
     * that token is refreshed under the new one, which no line or call beside it undoes.
     */
    readonly register: (
      appId: AppId,
      devices: ReadonlyArray<RegisterDevice>
    ) => Effect.Effect<ReadonlyArray<Registered>, StoreError>
    /** True when there was such a device. A token of iOS is found in capitals too. */
    readonly removeByToken: (appId: AppId, token: string) => Effect.Effect<boolean, StoreError>
    readonly remove: (appId: AppId, id: DeviceId) => Effect.Effect<boolean, StoreError>
    readonly find: (appId: AppId, id: DeviceId) => Effect.Effect<Option.Option<Device>, StoreError>
    readonly update: (
      appId: AppId,
      id: DeviceId,
      change: UpdateDevice
    ) => Effect.Effect<Option.Option<Device>, StoreError>
    /**
     * In the order of ids, newest last: what is registered meanwhile comes behind everything there was, so that page
     * after page is every device once. Any `limit`. With a segment a page may have fewer, and a next one: it ends where it
     * has looked through its share of devices that the segment does not hold.
     */
    readonly list: (
      appId: AppId,
      filter: DeviceFilter,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Device>, StoreError>
    /** The devices of each of these people in one statement: oldest first, `limit` of each at most. */
    readonly ofUsers: (
      appId: AppId,
      userIds: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Device>>, StoreError>
    /** Those of `ids` that are devices of the application, each once, in no order. */
    readonly among: (appId: AppId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<NamedDevice>, StoreError>
  }
>()("heliograph/ports/DeviceStore") {}
