import { Context } from "effect"

/**
 * Whether what a fiber does may wait for what others do: of a process's connections to the database, such work takes half
 * at most with its transactions, so that lists, counts and writes of many rows leave the others to messages, events and
 * registrations.
 */
export class CanWait extends Context.Reference<boolean>("heliograph/ports/CanWait", {
  defaultValue: () => false
}) {}
