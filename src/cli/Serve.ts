import { Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { server } from "../app.ts"

export const serve = Command.make(
  "serve",
  {
    roles: Flag.String("roles").pipe(
      Flag.withDescription(
        "What this process does: api, dispatch, webhooks, workflows, separated by commas; all by default (or ROLES)"
      ),
      Flag.optional
    )
  },
  ({ roles }) =>
    Layer.launch(server(roles._tag === "Some" ? { ...process.env, ROLES: roles.value } : process.env)).pipe(
      Effect.asVoid
    )
).pipe(Command.withDescription("Serve the API and do the work, until SIGTERM or Ctrl-C, then drain"))
