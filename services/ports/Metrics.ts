import { Context } from "effect"
import type { Registry } from "../domain/Metrics.ts"
import { makeRegistry } from "../domain/Metrics.ts"

/** Where everything in a process counts: one registry for all of it, unless somebody provides another. */
export class Metrics extends Context.Reference<Registry>("heliograph/ports/Metrics", {
  defaultValue: makeRegistry
}) {}
