import { Effect } from "effect"
import { TemplatesBusy } from "../../services/ports/messages/TemplateEngine.ts"

/** Tries of one application that wait for their turn. */
export const MOST_WAITING = 16
/** Milliseconds that one of them waits, at most: less than a request has. */
const WAIT_MS = 3000

const BUSY = new TemplatesBusy()

/** Tells whether it is that one's turn; false: it waited too long. */
type Waiter = (isTurn: boolean) => void

/**
 * Whose turn it is to try a template out: previews, and templates that are to be saved. An application has one try under
 * way at a time and some that wait; what is beyond that is refused, for that application alone.
 */
export const makeTries = () => {
  /** Applications with a try under way, and what waits for its end. */
  const lines = new Map<string, Set<Waiter>>()

  const enter = (app: string): Effect.Effect<void, TemplatesBusy> =>
    Effect.callback((resume) => {
      const line = lines.get(app)
      if (line === undefined) {
        lines.set(app, new Set())
        return resume(Effect.void)
      }
      if (line.size >= MOST_WAITING) return resume(Effect.fail(BUSY))
      const waiter: Waiter = (isTurn) => {
        clearTimeout(late)
        line.delete(waiter)
        resume(isTurn ? Effect.void : Effect.fail(BUSY))
      }
      const late = setTimeout(waiter, WAIT_MS, false)
      line.add(waiter)
      return Effect.sync(() => {
        clearTimeout(late)
        line.delete(waiter)
      })
    })

  const leave = (app: string): Effect.Effect<void> =>
    Effect.sync(() => {
      const line = lines.get(app)!
      const [first] = line
      if (first === undefined) lines.delete(app)
      else first(true)
    })

  return <A, E>(app: string, work: Effect.Effect<A, E>): Effect.Effect<A, E | TemplatesBusy> =>
    Effect.acquireUseRelease(
      enter(app),
      () => work,
      () => leave(app)
    )
}
