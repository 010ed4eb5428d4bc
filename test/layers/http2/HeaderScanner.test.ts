import { describe, expect, it } from "vitest"
import { contentLength, statusOf } from "../../../layers/http2/ReceivedAnswer.ts"
import { HeaderScanner, headerOf } from "../../../layers/http2/HeaderScanner.ts"
import { type Field, HpackDecoder } from "../../../layers/http2/HpackDecoder.ts"
import { HpackEncoder } from "../../../layers/http2/HpackEncoder.ts"
import { Chance } from "./Chance.ts"

const MAX_LIST = 65_536
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex")

/** What the complete decoder and the complete rules make of a block; undefined when they refuse it. */
const fully = (block: Buffer) => {
  const decoder = new HpackDecoder(MAX_LIST)
  decoder.decode(hex("20"), 0, 1)
  try {
    const fields = decoder.decode(block, 0, block.length)
    return { fields, status: statusOf(fields), length: contentLength(fields) }
  } catch {
    return undefined
  }
}
/** A field `x` with a value of so many bytes. */
const literal = (length: number): Buffer =>
  Buffer.concat([hex("00 01 78"), Buffer.of(length), Buffer.alloc(length, 0x76)])
const valueIn = (fields: ReadonlyArray<Field>, name: string): string | undefined => {
  const values = fields.filter((field) => field[0] === name).map((field) => field[1])
  return values.length === 0 ? undefined : values.join(", ")
}
/** Answers as servers write them: plain, coded, by indices of names, with and without indexing. */
const BLOCKS = [
  "88",
  "8e 0f0d 0130",
  // nghttpd: date, server and content-length, coded, with indexing.
  "88 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff 5c01 30",
  // A literal status and names without an index, plain and coded.
  "0803 343130 0007 61706e732d6964 2430303030303030302d303030302d303030302d303030302d303030303030303030303030",
  "48 83 640e ff 4003 782d6b 8925 a849 e95b b8e8 b4bf",
  "89 58 85 aec3 771a 4b 0f10 0a 746578742f706c61696e 0f0d 0234 32",
  "88 76 00 0f2c 82 0bff 1003 782d61 0162"
].map(hex)

describe("HeaderScanner", () => {
  it("takes the usual answers of servers", () => {
    const scanner = new HeaderScanner(MAX_LIST)
    const seen = BLOCKS.map((block) =>
      scanner.scan(block, 0, block.length, true) ? [scanner.status, scanner.length] : "refused"
    )
    expect(seen.map((one) => (one === "refused" ? one : one[0]))).toEqual([200, 500, 200, 410, 307, 204, 200])
    expect(seen.map((one) => (one === "refused" ? one : one[1]))).toEqual([-1, 0, 0, -1, -1, 42, -1])
  })

  it.each([
    ["an interim answer", "08 03 313033"],
    ["no status at all", "76 01 61"],
    ["nothing", ""],
    ["a pseudo-field after the status", "88 88"],
    ["a change of the table's size", "20 88"],
    ["an index of the dynamic table", "88 be"],
    ["transfer-encoding", "88 0f2a 07 6368756e6b6564"],
    ["connection", "88 00 0a 636f6e6e656374696f6e 01 61"],
    ["two lengths", "88 0f0d 0131 0f0d 0132"],
    ["a length that is no number", "88 0f0d 0178"],
    ["a name in upper case", "88 00 01 41 01 61"],
    ["a value with a line break", "88 00 01 61 03 610a62"],
    ["a value that begins with a space", "88 00 01 61 02 2061"],
    ["a value that goes beyond the block", "88 00 01 61 05 61"]
  ])("leaves %s to the complete rules", (_, text) => {
    const block = hex(text)
    expect(new HeaderScanner(MAX_LIST).scan(block, 0, block.length, true)).toBe(false)
  })

  it("leaves a header list that is larger than allowed to the complete rules", () => {
    const block = hex("88 00 01 61 03 616263")
    expect(new HeaderScanner(42 + 36).scan(block, 0, block.length, true)).toBe(true)
    expect(new HeaderScanner(42 + 35).scan(block, 0, block.length, true)).toBe(false)
  })

  it("gives the same version only to the same bytes", () => {
    const chance = new Chance(203)
    const scanner = new HeaderScanner(MAX_LIST)
    // Some too long to be kept, by bytes or by fields; all alike at the beginning.
    const blocks = [1, 2, 31, 32, 33, 34, 60, 200].map((fields) => hex("88" + "8f".repeat(fields)))
    for (const length of [1, 100, 126, 1]) {
      blocks.push(Buffer.concat([blocks[2]!, ...Array.from({ length: 5 }, () => literal(length))]))
    }
    const versions = new Map<number, string>()
    let again = 0
    let block = blocks[0]!
    for (let round = 0; round < 20_000; round++) {
      if (chance.below(2) === 0) block = chance.pick(blocks)
      if (chance.below(8) === 0) block = chance.mutate(block)
      if (!scanner.scan(block, 0, block.length, true) || scanner.version === 0) continue
      const before = versions.get(scanner.version)
      if (before !== undefined) again++
      expect(before ?? block.toString("hex")).toBe(block.toString("hex"))
      versions.set(scanner.version, block.toString("hex"))
    }
    expect(again).toBeGreaterThan(500)
  })

  it("leaves to the complete decoder what enters a table, if the peer has one", () => {
    const scanner = new HeaderScanner(MAX_LIST)
    const [plain, indexing] = ["88 00 01 78 01 79", "88 40 01 78 01 79"].map(hex) as [Buffer, Buffer]
    const taken = (block: Buffer, stateless: boolean) => scanner.scan(block, 0, block.length, stateless)
    expect([taken(plain, false), taken(indexing, false), taken(hex("48 03 323030"), false)]).toEqual([
      true,
      false,
      false
    ])
    expect([taken(indexing, true), taken(indexing, true), taken(indexing, false)]).toEqual([true, true, false])
    expect([taken(plain, false), taken(indexing, true)]).toEqual([true, true])
  })

  it("says what the complete decoder says, of whatever it takes", () => {
    const chance = new Chance(200)
    const names = ["server", "date", "apns-id", "content-type", "content-length", "x-a", "set-cookie", "upgrade", "age"]
    const scanner = new HeaderScanner(MAX_LIST)
    let taken = 0
    for (let round = 0; round < 20_000; round++) {
      let block: Buffer
      if (chance.below(2) === 0) block = chance.pick(BLOCKS)
      else {
        const encoder = new HpackEncoder()
        encoder.setLimit(0)
        const out = Buffer.alloc(2000)
        let at = encoder.literal(out, 0, ":status", chance.pick(["200", "410", "103", "503"]))
        for (let n = chance.below(5); n > 0; n--) {
          const value = chance.pick(["7", "a b", "text/plain", "v".repeat(chance.below(200))])
          at = encoder.occasional(out, at, chance.pick(names), value)
        }
        block = out.subarray(0, at)
      }
      if (chance.below(3) > 0) block = chance.mutate(block)
      const before = chance.below(5)
      const framed = Buffer.concat([chance.bytes(before), block, chance.bytes(3)])
      if (!scanner.scan(framed, before, before + block.length, true)) continue
      taken++
      const whole = fully(block)
      expect(whole, block.toString("hex")).toBeDefined()
      expect([scanner.status, scanner.length]).toEqual([whole!.status, whole!.length])
      for (const name of [":status", "absent", ...names, ...whole!.fields.map((field) => field[0])]) {
        expect(headerOf(framed, before, before + block.length, name)).toBe(valueIn(whole!.fields, name))
      }
    }
    expect(taken).toBeGreaterThan(5000)
  })
})
