import { Effect } from "effect"
import { userInfo } from "node:os"
import { CurrentActor } from "../../services/ports/access/AuditLog.ts"

/** The system's name of whoever runs this; a container may have none for its user. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? "unknown")
  }
}

/** Has the audit log say that this was done at the command line, and by which of the system's users. */
export const asCommand = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(work, CurrentActor, { kind: "cli", id: userName() }))
