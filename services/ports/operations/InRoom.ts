import { Effect } from "effect"
import type { Room } from "../../domain/operations/Room.ts"

/** Does work in a room, or in turns: begins it when there is some for its size, and leaves it with its end. */
export const inRoom =
  (room: Pick<Room, "enter">, owner: string, size: number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        restore(
          Effect.callback<() => void>((resume) =>
            Effect.sync(room.enter(owner, size, (leave) => resume(Effect.succeed(leave))))
          )
        ),
        (leave) => Effect.ensuring(restore(work), Effect.sync(leave))
      )
    )
