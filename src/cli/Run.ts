import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { reportFailure, teardown } from "./Failure.ts"
import { heliograph } from "./Heliograph.ts"
import { version } from "../version.ts"

/** Runs the command that this process was started with, and ends the process as it ended. */
export const run = () =>
  NodeRuntime.runMain(heliograph.pipe(Command.run({ version }), Effect.provide(NodeServices.layer), reportFailure), {
    disableErrorReporting: true,
    teardown
  })
