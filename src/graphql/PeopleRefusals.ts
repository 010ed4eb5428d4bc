import type { Unauthorized } from "../../services/engine/access/Auth.ts"
import type { InvalidField } from "../../services/engine/people/Fields.ts"
import type { WrongCode } from "../../services/engine/people/codes.ts"
import type { AddressTaken } from "../../services/ports/people/AddressChangeStore.ts"
import type { AccountDisabled, RegistrationClosed } from "../../services/ports/people/AccountStore.ts"
import type { BoundToAnother } from "../../services/ports/people/ExternalSignInStore.ts"
import type { TooManyCodes } from "../../services/ports/people/LoginCodeStore.ts"
import type {
  AlreadyMember,
  NotAllowed,
  NotThere,
  OrganizationHasPayments,
  TooManyInvitations,
  TooManyOfThem,
  TransferOwnershipFirst
} from "../../services/ports/people/OrganizationStore.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import { ApiError, invalid } from "../http/pipeline/ApiError.ts"

/** Everything that the engine refuses people. */
export type PeopleRefusal =
  | AccountDisabled
  | AddressTaken
  | AlreadyMember
  | BoundToAnother
  | InvalidField
  | NotAllowed
  | NotThere
  | OrganizationHasPayments
  | RegistrationClosed
  | StoreError
  | TooManyCodes
  | TooManyInvitations
  | TooManyOfThem
  | TransferOwnershipFirst
  | Unauthorized
  | WrongCode

/** A refusal of the engine in the words of the API. */
export const inWords = (error: PeopleRefusal): ApiError | StoreError | Unauthorized => {
  switch (error._tag) {
    case "StoreError":
    case "Unauthorized":
      return error
    case "NotThere":
      return new ApiError("not_found", `There is no such ${error.what}, or it is none of yours.`)
    case "NotAllowed":
      return new ApiError("forbidden", error.message)
    case "InvalidField":
      return invalid([{ field: error.field, message: error.message }])
    case "WrongCode":
      return new ApiError(
        "unauthorized",
        "This code is wrong, used or too old. A code is good for 10 minutes and 5 attempts; ask for a new one."
      )
    case "TooManyCodes":
      return new ApiError(
        "rate_limited",
        `Too many codes were asked for, or tried. The next one can be from ${new Date(error.at).toISOString()} on.`,
        [],
        { "retry-after": String(Math.max(1, Math.ceil(error.afterMs / 1000))) }
      )
    case "TooManyInvitations":
      return new ApiError(
        "rate_limited",
        `Too many invitations were sent: to this address, by you, or by the organization. The next one can be from ${new Date(error.at).toISOString()} on.`,
        [],
        { "retry-after": String(Math.max(1, Math.ceil(error.afterMs / 1000))) }
      )
    case "RegistrationClosed":
      return new ApiError("forbidden", "New accounts are made by invitation only.")
    case "AccountDisabled":
      return new ApiError("forbidden", "This account was disabled by the operator of this service.")
    case "BoundToAnother":
      return new ApiError("conflict", "This external sign-in belongs to another account.")
    case "AddressTaken":
      return new ApiError("conflict", "Another account has this address.")
    case "AlreadyMember":
      return new ApiError("conflict", "Whoever has this address is a member already.")
    case "TooManyOfThem":
      return new ApiError("conflict", `There are ${error.limit} ${error.what}, which is the most there may be.`)
    case "TransferOwnershipFirst":
      return new ApiError(
        "transfer_ownership_first",
        "An organization would be left without an owner: make another member its owner first (transferOwnership), or delete it (deleteOrganization).",
        [{ field: "organizationId", message: `is ${error.organizationId}` }]
      )
    case "OrganizationHasPayments":
      return new ApiError(
        "organization_has_payments",
        "The organization has payments, whose records are kept: it cannot be deleted.",
        [{ field: "organizationId", message: `is ${error.organizationId}` }]
      )
  }
}
