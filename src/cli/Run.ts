import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { CliConfig, Command, GlobalFlag } from "effect/cli"
import { reportFailure, teardown } from "./Failure.ts"
import { heliograph } from "./Heliograph.ts"
import { version } from "../version.ts"

/** Without the library's flag for a log level, which nothing heeds: LOG_LEVEL says it, as all settings of the environment. */
const config = CliConfig.layer({ builtIns: GlobalFlag.BuiltIns.filter((flag) => flag !== GlobalFlag.LogLevel) })

/** Runs the command that this process was started with, and ends the process as it ended. */
export const run = () =>
  NodeRuntime.runMain(
    heliograph.pipe(Command.run({ version }), Effect.provide(Layer.merge(NodeServices.layer, config)), reportFailure),
    { disableErrorReporting: true, teardown }
  )
