import { describe, expect, it } from "vitest"
import { COMPRESSION_ERROR, ENHANCE_YOUR_CALM, PeerError } from "../../../layers/http2/Frames.ts"
import { type Field, HpackDecoder, readInteger } from "../../../layers/http2/HpackDecoder.ts"
import { fieldBound, HpackEncoder, writeInteger } from "../../../layers/http2/HpackEncoder.ts"
import { Chance } from "./Chance.ts"

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ""), "hex")
const decode = (decoder: HpackDecoder, text: string): Array<Field> => {
  const bytes = hex(text)
  return decoder.decode(bytes, 0, bytes.length)
}
const codeOf = (run: () => unknown): number | undefined => {
  try {
    run()
  } catch (error) {
    if (error instanceof PeerError) return error.code
    throw error
  }
  return undefined
}
/** The dynamic table, newest entry first: its indices begin at 62. */
const table = (decoder: HpackDecoder): Array<Field> => {
  const entries: Array<Field> = []
  for (let index = 62; ; index++) {
    const bytes = Buffer.from([0x80 | index])
    if (codeOf(() => entries.push(...decoder.decode(bytes, 0, 1))) !== undefined) return entries
  }
}

const REQUESTS: ReadonlyArray<ReadonlyArray<Field>> = [
  [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "www.example.com"]
  ],
  [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "www.example.com"],
    ["cache-control", "no-cache"]
  ],
  [
    [":method", "GET"],
    [":scheme", "https"],
    [":path", "/index.html"],
    [":authority", "www.example.com"],
    ["custom-key", "custom-value"]
  ]
]
const REQUESTS_PLAIN = [
  "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
  "8286 84be 5808 6e6f 2d63 6163 6865",
  "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"
]
const REQUESTS_HUFFMAN = [
  "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
  "8286 84be 5886 a8eb 1064 9cbf",
  "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf"
]
const DATE = "Mon, 21 Oct 2013 20:13:21 GMT"
const LATER = "Mon, 21 Oct 2013 20:13:22 GMT"
const COOKIE = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
const RESPONSES: ReadonlyArray<ReadonlyArray<Field>> = [
  [
    [":status", "302"],
    ["cache-control", "private"],
    ["date", DATE],
    ["location", "https://www.example.com"]
  ],
  [
    [":status", "307"],
    ["cache-control", "private"],
    ["date", DATE],
    ["location", "https://www.example.com"]
  ],
  [
    [":status", "200"],
    ["cache-control", "private"],
    ["date", LATER],
    ["location", "https://www.example.com"],
    ["content-encoding", "gzip"],
    ["set-cookie", COOKIE]
  ]
]
const RESPONSES_PLAIN = [
  `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e
   1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
  "4803 3330 37c1 c0bf",
  `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d
   4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572
   7369 6f6e 3d31`
]
const RESPONSES_HUFFMAN = [
  `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b
   97c8 e9ae 82ae 43d3`,
  "4883 640e ffc1 c0bf",
  `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf
   cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`
]
/** A table size update to 256, which the examples of C.5 and C.6 take for granted. */
const SIZE_256 = "3fe1 01"

describe("RFC 7541, appendix C", () => {
  it.each([
    [10, 5, "0a"],
    [1337, 5, "1f 9a 0a"],
    [42, 8, "2a"]
  ])("C.1: %i with a prefix of %i bits is %s", (value, bits, text) => {
    const out = Buffer.alloc(8)
    const end = writeInteger(out, 0, 0, bits, value)
    expect(out.subarray(0, end)).toEqual(hex(text))
    const cursor = { at: 0 }
    expect(readInteger(out, end, bits, cursor)).toBe(value)
    expect(cursor.at).toBe(end)
  })

  it.each([
    ["C.2.1", "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", ["custom-key", "custom-header"], 1],
    ["C.2.2", "040c 2f73 616d 706c 652f 7061 7468", [":path", "/sample/path"], 0],
    ["C.2.3", "1008 7061 7373 776f 7264 0673 6563 7265 74", ["password", "secret"], 0],
    ["C.2.4", "82", [":method", "GET"], 0]
  ])("%s is read, and enters the table only if it says so", (_, text, field, entries) => {
    const decoder = new HpackDecoder(10_000)
    expect(decode(decoder, text)).toEqual([field])
    expect(table(decoder)).toEqual(entries === 0 ? [] : [field])
  })

  it.each([
    ["C.3", REQUESTS_PLAIN],
    ["C.4", REQUESTS_HUFFMAN]
  ])("%s: requests on one connection are read", (_, blocks) => {
    const decoder = new HpackDecoder(10_000)
    expect(blocks.map((text) => decode(decoder, text))).toEqual(REQUESTS)
    expect(table(decoder)).toEqual([
      ["custom-key", "custom-value"],
      ["cache-control", "no-cache"],
      [":authority", "www.example.com"]
    ])
  })

  it.each([
    ["C.5", RESPONSES_PLAIN],
    ["C.6", RESPONSES_HUFFMAN]
  ])("%s: responses are read while entries are evicted", (_, blocks) => {
    const decoder = new HpackDecoder(10_000)
    decode(decoder, SIZE_256)
    expect(blocks.map((text) => decode(decoder, text))).toEqual(RESPONSES)
    expect(table(decoder)).toEqual([
      ["set-cookie", COOKIE],
      ["content-encoding", "gzip"],
      ["date", LATER]
    ])
  })

  it("C.3 and C.5 are written as they stand there", () => {
    const write = (encoder: HpackEncoder, fields: ReadonlyArray<Field>) => {
      const out = Buffer.alloc(1000)
      let at = encoder.begin(out, 0)
      for (const [name, value] of fields) at = encoder.repeated(out, at, name, value)
      return out.subarray(0, at)
    }
    const requests = new HpackEncoder()
    expect(REQUESTS.map((fields) => write(requests, fields))).toEqual(REQUESTS_PLAIN.map(hex))
    const responses = new HpackEncoder()
    responses.setLimit(256)
    const [first, ...rest] = RESPONSES_PLAIN
    expect(RESPONSES.map((fields) => write(responses, fields))).toEqual([SIZE_256 + first!, ...rest].map(hex))
  })
})

describe("HpackDecoder refuses", () => {
  it.each([
    ["index 0", "80"],
    ["an index beyond the tables", "be"],
    ["a name's index beyond the tables", "7f 00 01 61"],
    ["an integer that does not end", "ff ff ff"],
    ["an integer of more than 32 bits", "ff ff ff ff ff ff ff 01"],
    ["a string that goes beyond the block", "00 01 61 05 62"],
    ["a missing value", "00 01 61"],
    ["a missing name", "00"],
    ["a Huffman string with EOS", "00 01 61 84 ff ff ff ff"],
    ["a Huffman string with more than seven bits of padding", "00 01 61 82 07 ff"],
    ["a Huffman string whose padding is not all ones", "00 01 61 81 00"],
    ["a size update after a field", "82 20"],
    ["a size update beyond the default", "3f e2 1f"]
  ])("%s", (_, text) => {
    expect(codeOf(() => decode(new HpackDecoder(10_000), text))).toBe(COMPRESSION_ERROR)
  })

  it("any entry, once the peer has given up its table, and takes it back when the peer does", () => {
    const decoder = new HpackDecoder(10_000)
    decode(decoder, "4001 6101 62")
    expect([decoder.stateless, table(decoder).length]).toEqual([false, 1])
    expect(decode(decoder, "20 4001 6101 62")).toEqual([["a", "b"]])
    expect([decoder.stateless, table(decoder).length]).toEqual([true, 0])
    expect(codeOf(() => decode(decoder, "be"))).toBe(COMPRESSION_ERROR)
    expect(decode(decoder, "3f e1 1f 4001 6101 62")).toEqual([["a", "b"]])
    expect(decode(decoder, "be")).toEqual([["a", "b"]])
  })

  it("a bomb: a few kilobytes that name a large entry again and again", () => {
    const decoder = new HpackDecoder(65_536)
    const value = Buffer.alloc(4000, 0x61)
    const entry = Buffer.concat([hex("4001 78 7f a1 1e"), value])
    expect(decoder.decode(entry, 0, entry.length)[0]![1]).toHaveLength(4000)
    const bomb = Buffer.alloc(16_000, 0xbe)
    expect(codeOf(() => decoder.decode(bomb, 0, bomb.length))).toBe(ENHANCE_YOUR_CALM)
  })

  it("more fields than anybody has to say", () => {
    const decoder = new HpackDecoder(65_536)
    // `accept-ranges` with an empty value, a byte each.
    const fields = Buffer.alloc(257, 0x92)
    expect(decoder.decode(fields, 0, 256)).toHaveLength(256)
    expect(codeOf(() => decoder.decode(fields, 0, 257))).toBe(ENHANCE_YOUR_CALM)
  })

  it("nothing else: whatever bytes come, it answers fields or a typed error, and keeps to its limits", () => {
    const chance = new Chance(7541)
    const blocks = [...REQUESTS_PLAIN, ...REQUESTS_HUFFMAN, ...RESPONSES_PLAIN, ...RESPONSES_HUFFMAN].map(hex)
    let valid = 0
    for (let round = 0; round < 3000; round++) {
      const decoder = new HpackDecoder(2000)
      for (let n = 0; n < 8; n++) {
        const bytes = chance.below(3) === 0 ? chance.bytes(chance.below(200)) : chance.mutate(chance.pick(blocks))
        let fields: Array<Field> = []
        if (codeOf(() => (fields = decoder.decode(bytes, 0, bytes.length))) !== undefined) break
        valid++
        expect(fields.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0)).toBeLessThanOrEqual(
          2000
        )
      }
      expect(table(decoder).length).toBeLessThanOrEqual(128)
    }
    expect(valid).toBeGreaterThan(100)
  })
})

describe("HpackEncoder", () => {
  it("writes what the decoder reads, through evictions and changes of the table's size", () => {
    const chance = new Chance(9113)
    const encoder = new HpackEncoder()
    const decoder = new HpackDecoder(1 << 20)
    const names = [":path", "authorization", "apns-topic", "x-a", "content-type"]
    for (let round = 0; round < 4000; round++) {
      if (chance.below(20) === 0) encoder.setLimit(chance.pick([0, 64, 200, 1000, 4096, 65_536]))
      const fields: Array<Field> = Array.from({ length: chance.below(8) }, () => [
        chance.pick(names),
        "v".repeat(chance.below(chance.pick([4, 60, 5000]))) + String(chance.below(6))
      ])
      const out = Buffer.alloc(64 + fields.reduce((sum, [name, value]) => sum + fieldBound(name, value), 0))
      let at = encoder.begin(out, 0)
      for (const [name, value] of fields) {
        const how = chance.below(3)
        if (how === 0) at = encoder.repeated(out, at, name, value)
        else if (how === 1) at = encoder.occasional(out, at, name, value)
        else at = encoder.literal(out, at, name, value)
      }
      expect(decoder.decode(out, 0, at)).toEqual(fields)
    }
  })

  it("says a field that repeats in one byte", () => {
    const encoder = new HpackEncoder()
    const out = Buffer.alloc(100)
    expect(encoder.repeated(out, 0, "apns-topic", "com.example.app")).toBe(28)
    expect(encoder.repeated(out, 0, "apns-topic", "com.example.app")).toBe(1)
    expect(encoder.occasional(out, 0, "apns-topic", "com.example.app")).toBe(1)
  })

  it.each(["line\nbreak", "nul\0", "ü", " before", "after "])("writes no field with the value %j", (value) => {
    expect(() => new HpackEncoder().literal(Buffer.alloc(100), 0, "x-a", value)).toThrow(TypeError)
  })
})
