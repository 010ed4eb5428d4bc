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
