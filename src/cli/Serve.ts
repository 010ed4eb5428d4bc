import { Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { ROLES_WANTED, server, wrongRolesIn } from "../app.ts"
import { untilStopped } from "./Failure.ts"
import { fitting } from "./Flags.ts"

const Roles = Schema.String.check(Schema.makeFilter((text: string) => wrongRolesIn(text).length === 0))

export const serve = Command.make(
  "serve",
  {
    roles: fitting("roles", Roles, (text) => `${ROLES_WANTED}, not ${wrongRolesIn(text).join(", ")}`).pipe(
      Flag.withDescription(`What this process does: ${ROLES_WANTED}; by default what ROLES says, else all`),
      Flag.optional
    )
  },
  ({ roles }) =>
    untilStopped(
      Effect.asVoid(Layer.launch(server(roles._tag === "Some" ? { ...process.env, ROLES: roles.value } : process.env)))
    )
).pipe(Command.withDescription("Serve the API and do the work, until SIGTERM or Ctrl-C, then drain"))
