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
  /** Whose it is: those of one application, or of an account, are counted together. */
  readonly owner: string
  /** Held by it so far. */
  bytes: number
  readonly crowdOut: () => void
}

/** The oldest first. */
interface Owned {
  readonly all: Set<Unfinished>
  bytes: number
}

const owners = new Map<string, Owned>()
let bytes = 0

/** Who makes room next; undefined: there is some. */
const oneTooMany = (most: number): Unfinished | undefined => {
  if (bytes <= most) return undefined
  let largest: Owned = { all: new Set(), bytes: -1 }
  for (const owned of owners.values()) if (owned.bytes > largest.bytes) largest = owned
  const [oldest] = largest.all
  return oldest
}

/**
 * A part has come, and more is to come. Where there is no room, the owner makes it who holds most, by those that have been
 * on their way longest. `limit`: bytes that the body may have.
 */
export const grew = (body: Unfinished, by: number, limit: number): void => {
  const most = Math.max(MOST, LARGEST * limit)
  const owned = owners.get(body.owner) ?? { all: new Set(), bytes: 0 }
  owners.set(body.owner, owned)
  owned.all.add(body)
  body.bytes += by + PART
  owned.bytes += by + PART
  bytes += by + PART
  for (let one = oneTooMany(most); one !== undefined; one = oneTooMany(most)) one.crowdOut()
}

/** It is whole, or refused. */
export const ended = (body: Unfinished): void => {
  const owned = owners.get(body.owner)
  if (owned === undefined || !owned.all.delete(body)) return
  owned.bytes -= body.bytes
  bytes -= body.bytes
  if (owned.all.size === 0) owners.delete(body.owner)
}
