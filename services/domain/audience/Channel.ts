import { Schema } from "effect"
import { NewUserId } from "./Device.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { ChannelId, ContactId } from "../Ids.ts"

/** A recipient that is not a device. It belongs to a contact; one made for a bare address has none. */
export const Channel = Schema.Struct({
  id: ChannelId,
  kind: Schema.Literals(["email", "inbox"]),
  address: Schema.NullOr(Schema.String),
  contactId: Schema.NullOr(ContactId),
  status: Schema.Literals(["active", "suppressed", "unsubscribed"]),
  createdAt: Schema.Number
})
export type Channel = typeof Channel.Type

export const ChannelKind = Schema.Literals(["email", "inbox"])
export type ChannelKind = typeof ChannelKind.Type

/**
 * POST /channels: an e-mail address, with the contact it belongs to by the application's own user id; or the inbox of
 * such a contact, which has no address.
 */
export const CreateChannel = Schema.Struct({
  kind: ChannelKind,
  address: Schema.optionalKey(EmailAddress),
  user_id: Schema.optionalKey(Schema.NullOr(NewUserId))
}).check(
  Schema.makeFilter(({ address, kind, user_id }) => {
    if (kind === "email")
      return address !== undefined || { path: ["address"], issue: "is needed for an e-mail channel" }
    if (address !== undefined) return { path: ["kind"], issue: "must be email where there is an address" }
    return typeof user_id === "string" || { path: ["user_id"], issue: "says whose inbox it is" }
  })
)
export type CreateChannel = typeof CreateChannel.Type

/** PATCH /channels/:id: subscribes an address again, or unsubscribes it. What bounced is no wish of anybody's. */
export const UpdateChannel = Schema.Struct({ status: Schema.Literals(["active", "unsubscribed"]) })

/** An e-mail channel to be written. */
export interface EmailChannel {
  readonly kind: "email"
  readonly address: string
  readonly user_id?: string | null
}
