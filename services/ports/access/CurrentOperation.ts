import { Context } from "effect"
import type { Operation } from "../../domain/people/Role.ts"

/**
 * What a person is at, by the table of roles: whoever has let them in provides it around the work, beside `CurrentActor`. The
 * stores ask the table again when they write. Null: nobody said.
 */
export class CurrentOperation extends Context.Reference<Operation | null>("heliograph/ports/CurrentOperation", {
  defaultValue: () => null
}) {}
