import type { AccountId } from "../../services/domain/Ids.ts"
import type { ApplicationView } from "../http/endpoints/Application.ts"
import type { ChannelView } from "../http/endpoints/Channels.ts"
import type { ContactView } from "../http/endpoints/ContactView.ts"
import type { DeadLetterView } from "../http/endpoints/DeadLetters.ts"
import type { DeviceView } from "../http/endpoints/Devices.ts"
import type { NotificationSummaryView } from "../http/endpoints/NotificationViews.ts"
import type { Detail } from "../http/pipeline/ApiError.ts"

/*
 * What the objects of the schema are while a query runs: as the REST API shows them. The types of resolvers, which are
 * generated, name these.
 */

export type ApplicationParent = typeof ApplicationView.Type
export type ChannelParent = typeof ChannelView.Type
export type ContactParent = typeof ContactView.Type
export type DeadLetterParent = typeof DeadLetterView.Type
export type DeviceParent = typeof DeviceView.Type
export type NotificationSummaryParent = typeof NotificationSummaryView.Type

export interface AccountParent {
  readonly id: AccountId
  readonly email: string
  readonly name: string
  readonly createdAt: string
}

export interface WriteErrorParent {
  readonly code: string
  readonly message: string
  readonly details: ReadonlyArray<Detail>
}

export interface WriteResultParent {
  readonly index: number
  readonly id?: string
  readonly created?: boolean
  readonly error?: WriteErrorParent
}
