import type { Effect } from "effect"
import { Context, Schema } from "effect"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"

/** A mail of the service itself, ready to be sent. */
export interface OwnMail {
  /** The same on every attempt. */
  readonly id: string
  readonly to: AccountAddress
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mail was not taken. Tried again unless the server refuses it for good. */
export class MailNotTaken extends Schema.TaggedError<MailNotTaken>()("MailNotTaken", {
  reason: Schema.String,
  isFinal: Schema.Boolean
}) {}

/** Sends the service's own mail: codes, invitations, notices. Customers' mail goes through their own credentials. */
export class ServiceMailer extends Context.Service<
  ServiceMailer,
  { readonly send: (mail: OwnMail) => Effect.Effect<void, MailNotTaken> }
>()("heliograph/ports/ServiceMailer") {}
