/*
 * Most answers of a connection have a header section of the same size. Streams therefore keep the memory that one lay in
 * for the next: as long as it is small, and not too much in this process, as connections are many.
 */

const SMALLEST = 128
const LARGEST = 1 << 10
const PROCESS_BYTES = 8 << 20

let taken = 0

/** The size of a block that holds `length` bytes and may be kept for good; 0 when it may not. */
export const takeSpare = (length: number): number => {
  const size = Math.max(length, SMALLEST)
  if (size > LARGEST || taken + size > PROCESS_BYTES) return 0
  taken += size
  return size
}

/** A block that was kept is dropped. */
export const freeSpare = (size: number): void => {
  taken -= size
}
