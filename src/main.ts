import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { reportFailure, teardown } from "./cli/Failure.ts"
import { heliograph } from "./cli/Heliograph.ts"
import { version } from "./cli/version.ts"

NodeRuntime.runMain(heliograph.pipe(Command.run({ version }), Effect.provide(NodeServices.layer), reportFailure), {
  disableErrorReporting: true,
  teardown
})
