import { Schema } from "effect"

/** Replays, and redeliveries, that one application may have running at once. */
export const RUNNING = 20

/** The application has as many running as it may have; nothing was begun. */
export class TooManyRunning extends Schema.TaggedError<TooManyRunning>()("TooManyRunning", {}) {}
