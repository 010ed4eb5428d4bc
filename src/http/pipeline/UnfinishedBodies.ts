/*
 * The bodies of a process that have begun to come and are not whole. Those of common clients are there within moments; one
 * that dawdles holds its memory for half a minute, and thousands of them that of the process.
 */

/** Bytes of all of them together, at most, and so many of the largest that may come. */
const MOST = 64 << 20
const LARGEST = 4
/** What the smallest part costs beside its bytes. */
const PART = 256

export interface Unfinished {
  /** Held by it so far. */
  bytes: number
  readonly crowdOut: () => void
}

/** The oldest first. */
const all = new Set<Unfinished>()
let bytes = 0

/**
 * A part has come, and more is to come. Where there is no room, those make it that have been on their way longest. `limit`:
 * bytes that the body may have.
 */
export const grew = (body: Unfinished, by: number, limit: number): void => {
  const most = Math.max(MOST, LARGEST * limit)
  all.add(body)
  body.bytes += by + PART
  bytes += by + PART
  for (const oldest of all) {
    if (bytes <= most) return
    oldest.crowdOut()
  }
}

/** It is whole, or refused. */
export const ended = (body: Unfinished): void => {
  if (all.delete(body)) bytes -= body.bytes
}
