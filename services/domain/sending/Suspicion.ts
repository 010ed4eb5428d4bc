/*
 * How much a batch is suspected of ending the processes that send it. It grows when a process ends with the batch in hand,
 * by how it ended, and is nothing again as soon as results of the batch are written: what gets on is not at fault.
 *
 * A crash (out of memory, say) counts for twice a kill, which is mostly somebody's and says nothing of the batch. So two
 * crashes set it aside, or two kills and then two more while it was sent alone, without a single result between them.
 * Where it was not known to be alone, each further kill counts for next to nothing: it may have been about anything.
 */

export const CRASHED = 6
export const KILLED = 3
/** A kill of a process that had it in hand, beside others, when it was to be sent alone. */
export const KILLED_BESIDE = 1

/**
 * The end of a process that had more than so many in hand says next to nothing of any one of them. Sent alone, one every
 * few seconds, thousands of single messages would wait for hours.
 */
export const MANY = 64
/** The end of a process that had many in hand. */
export const AMONG_MANY = 1

/** From here on it is sent alone, so that nobody else is blamed for it, nor it for others. */
export const ALONE = 6
/** From here on it is not sent any more. */
export const ASIDE = 12

/** What its recipients fail for: they can be replayed. */
export const WORKER_ENDED = "worker_ended"
