import { Command } from "effect/cli"
import { app } from "./App.ts"
import { credentials } from "./Credentials.ts"
import { demo } from "./Demo.ts"
import { doctor } from "./Doctor.ts"
import { keys } from "./Keys.ts"
import { migrate } from "./Migrate.ts"
import { org } from "./Org.ts"
import { serve } from "./Serve.ts"
import { simulate } from "./Simulate.ts"
import { user } from "./User.ts"
import { work } from "./Work.ts"

/** The command line: `npm run cli -- <command>`. Settings come from the environment, for every command alike. */
export const heliograph = Command.make("heliograph").pipe(
  Command.withDescription(
    "Push notifications and e-mail for very large audiences. Settings are read from the environment; `doctor` checks them."
  ),
  Command.withSubcommands([serve, migrate, app, keys, credentials, user, org, simulate, demo, doctor, work])
)
