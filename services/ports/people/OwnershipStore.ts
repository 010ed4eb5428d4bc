import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { AppId, OrganizationId } from "../../domain/Ids.ts"
import type { StoreError } from "../StoreError.ts"

/** What an application has that is asked for by its id alone. */
export type ObjectKind =
  | "device"
  | "contact"
  | "channel"
  | "segment"
  | "template"
  | "templateVersion"
  | "notification"
  | "webhook"
  | "redelivery"
  | "deadLetter"
  | "replay"
  | "apiKey"
  | "workflow"
  | "execution"

/** Whose something is. A person may work on several applications, and names a thing by its id. */
export class OwnershipStore extends Context.Service<
  OwnershipStore,
  {
    /** The application that has it, if it is one of these organizations': to all others it is not there. */
    readonly applicationOf: (
      organizations: ReadonlyArray<OrganizationId>,
      kind: ObjectKind,
      id: string
    ) => Effect.Effect<Option.Option<AppId>, StoreError>
  }
>()("heliograph/ports/OwnershipStore") {}
