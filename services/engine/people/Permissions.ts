import { Context, Effect, Layer, Option } from "effect"
import type { AppId, OrganizationId } from "../../domain/Ids.ts"
import type { Person } from "../../domain/people/Account.ts"
import type { Operation, Role } from "../../domain/people/Role.ts"
import { mayDo, OPERATIONS } from "../../domain/people/Role.ts"
import { NotAllowed, NotThere, OrganizationStore } from "../../ports/people/OrganizationStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"

const refusal = (role: Role, operation: Operation): NotAllowed =>
  new NotAllowed({
    message:
      role === "viewer"
        ? `As viewer you may read everything and change nothing: this needs the role ${OPERATIONS[operation]}.`
        : `As ${role} you may not do this: it needs the role ${OPERATIONS[operation]}.`
  })

/**
 * What people may do (spec 5.4), by the one table of `services/domain/people/Role.ts`. What they are no member of is not
 * there. Nothing is remembered: an application that was deleted is nobody's on every node with the next request.
 */
export class Permissions extends Context.Service<
  Permissions,
  {
    readonly onOrganization: (
      person: Person,
      id: OrganizationId,
      operation: Operation
    ) => Effect.Effect<void, NotThere | NotAllowed>
    readonly onApplication: (
      person: Person,
      id: AppId,
      operation: Operation
    ) => Effect.Effect<void, NotThere | NotAllowed | StoreError>
  }
>()("heliograph/engine/Permissions") {
  static readonly layer: Layer.Layer<Permissions, never, OrganizationStore> = Layer.effect(
    Permissions,
    Effect.gen(function* () {
      const { ofApplication } = yield* OrganizationStore
      const check = (
        role: Role | undefined,
        operation: Operation,
        what: "organization" | "application"
      ): Effect.Effect<void, NotThere | NotAllowed> => {
        if (role === undefined) return Effect.fail(new NotThere({ what }))
        return mayDo(role, operation) ? Effect.void : Effect.fail(refusal(role, operation))
      }

      return Permissions.of({
        onOrganization: ({ roles }, id, operation) => check(roles.get(id), operation, "organization"),
        onApplication: ({ roles }, id, operation) =>
          Effect.flatMap(ofApplication(id), (organization) =>
            check(Option.isSome(organization) ? roles.get(organization.value) : undefined, operation, "application")
          )
      })
    })
  )
}
