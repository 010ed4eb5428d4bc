import { Effect, Schema } from "effect"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import { accountAddress, NO_ADDRESS } from "../../domain/people/AccountAddress.ts"
import { Name } from "../../domain/Text.ts"

/** What somebody gave cannot be used. The message goes on after the name of the field. */
export class InvalidField extends Schema.TaggedError<InvalidField>()("InvalidField", {
  field: Schema.String,
  message: Schema.String
}) {}

export const addressIn = (text: string): Effect.Effect<AccountAddress, InvalidField> => {
  const address = accountAddress(text)
  return address === null
    ? Effect.fail(new InvalidField({ field: "email", message: NO_ADDRESS }))
    : Effect.succeed(address)
}

const decodeName = Schema.decodeUnknownEffect(Name)

export const nameIn = (text: string): Effect.Effect<string, InvalidField> =>
  Effect.mapError(
    decodeName(text),
    () =>
      new InvalidField({
        field: "name",
        message: "must be one line of 1 to 120 characters, at least one of which can be seen"
      })
  )

/** What programs that show mail make a link of, and what looks like one. */
const LINK = /:\/\/|\bwww\.|\bmailto:|[^\s@]@[^\s@]+\.|[\p{L}\p{N}]\.\p{L}{2,}[/?#:]/iu

/** The name of an organization stands in mail to people who do not know it. */
export const organizationNameIn = (text: string): Effect.Effect<string, InvalidField> =>
  Effect.filterOrFail(
    nameIn(text),
    (name) => !LINK.test(name),
    () => new InvalidField({ field: "name", message: "must not contain a link or an e-mail address" })
  )
