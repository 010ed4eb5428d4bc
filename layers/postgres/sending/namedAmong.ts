import { hash } from "node:crypto"

const fingerprintOf = (userId: string): bigint => hash("sha256", userId, "buffer").readBigUInt64LE()

/** Of ten thousand names, eight bytes each: as they are, those of all that are remembered would fill a process. */
export const namedAmong = (userIds: ReadonlyArray<string>): ((userId: string) => boolean) => {
  const names = BigUint64Array.from(userIds, fingerprintOf).sort()
  return (userId) => {
    const wanted = fingerprintOf(userId)
    let [from, to] = [0, names.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (names[middle]! < wanted) from = middle + 1
      else to = middle
    }
    return names[from] === wanted
  }
}
