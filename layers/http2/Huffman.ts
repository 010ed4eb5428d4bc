/** Huffman decoding of RFC 7541, by a machine that takes a whole byte at a step. */

/** Code lengths in bits of the symbols 0 to 256 (RFC 7541, appendix B). The code is canonical, so lengths are all of it. */
// prettier-ignore
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30
]
const EOS = 256

/*
 * An entry of the machine: bits 0-7 the next state, 8-15 the first symbol, 16-23 the second, 24-25 how many,
 * 26: EOS, which no string may hold; 27: NUL, CR or LF, which no value of HTTP may hold.
 */
const BROKEN = 1 << 26
const BREAK = 1 << 27

/** Children of the inner nodes of the code's tree: another inner node, or `-1 - symbol`. */
const tree = (): Array<[number, number]> => {
  const nodes: Array<[number, number]> = [[0, 0]]
  const symbols = LENGTHS.map((length, symbol) => [length, symbol] as const).sort((a, b) => a[0] - b[0] || a[1] - b[1])
  let code = 0
  let previous = symbols[0]![0]
  for (const [length, symbol] of symbols) {
    code *= 2 ** (length - previous)
    previous = length
    let node = 0
    for (let bit = length - 1; bit > 0; bit--) {
      const way = Math.floor(code / 2 ** bit) % 2 === 0 ? 0 : 1
      if (nodes[node]![way] === 0) nodes[node]![way] = nodes.push([0, 0]) - 1
      node = nodes[node]![way]
    }
    nodes[node]![code % 2 === 0 ? 0 : 1] = -1 - symbol
    code++
  }
  return nodes
}

/** States in which a string may end: at most seven bits of padding, all ones. */
const endings = (nodes: ReadonlyArray<[number, number]>): Uint8Array => {
  const allowed = new Uint8Array(nodes.length)
  for (let node = 0, depth = 0; depth < 8; depth++, node = nodes[node]![1]) allowed[node] = 1
  return allowed
}

const machine = (nodes: ReadonlyArray<[number, number]>): Uint32Array => {
  const steps = new Uint32Array(nodes.length * 256)
  for (let state = 0; state < nodes.length; state++) {
    for (let byte = 0; byte < 256; byte++) {
      let node = state
      let entry = 0
      let count = 0
      for (let bit = 7; bit >= 0; bit--) {
        const next = nodes[node]![(byte >> bit) & 1]!
        if (next >= 0) {
          node = next
          continue
        }
        const symbol = -1 - next
        node = 0
        if (symbol === EOS) {
          entry |= BROKEN
          break
        }
        if (symbol === 0 || symbol === 10 || symbol === 13) entry |= BREAK
        entry |= symbol << (8 + 8 * count++)
      }
      steps[(state << 8) | byte] = entry | node | (count << 24)
    }
  }
  return steps
}

const NODES = tree()
const ENDS = endings(NODES)
const STEPS = machine(NODES)

/**
 * Decodes into `out`, which needs room for `huffmanBound` bytes. Answers how many came, or -1 when the bytes are no valid
 * Huffman string or, with `strict`, hold a NUL, CR or LF.
 */
export const huffmanInto = (
  bytes: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  strict: boolean
): number => {
  let state = 0
  let seen = 0
  let length = 0
  for (let at = start; at < end; at++) {
    const entry = STEPS[(state << 8) | bytes[at]!]!
    seen |= entry
    state = entry & 0xff
    const count = (entry >>> 24) & 3
    if (count > 0) {
      out[length] = (entry >>> 8) & 0xff
      out[length + 1] = (entry >>> 16) & 0xff
      length += count
    }
  }
  return (seen & (strict ? BROKEN | BREAK : BROKEN)) !== 0 || ENDS[state] !== 1 ? -1 : length
}

/** The shortest code has five bits; a byte more may be written over. */
export const huffmanBound = (bytes: number): number => Math.ceil((bytes * 8) / 5) + 1

let scratch = Buffer.allocUnsafe(1024)

/** The decoded text (one character a byte), or undefined when the bytes are not a valid Huffman string. */
export const huffmanDecode = (bytes: Uint8Array, start: number, end: number): string | undefined => {
  const bound = huffmanBound(end - start)
  if (scratch.length < bound) scratch = Buffer.allocUnsafe(bound * 2)
  const length = huffmanInto(bytes, start, end, scratch, false)
  return length < 0 ? undefined : scratch.toString("latin1", 0, length)
}
