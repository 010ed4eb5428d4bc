import { Writable } from "node:stream"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { Http2Session } from "../../../layers/http2/Http2Session.ts"
import { type FrameHandler, FrameReader } from "../../../layers/http2/FrameReader.ts"
import { PeerError } from "../../../layers/http2/Frames.ts"
import { HpackEncoder } from "../../../layers/http2/HpackEncoder.ts"
import { failure } from "../../../layers/http2/Http2Connection.ts"
import { Output } from "../../../layers/http2/Output.ts"
import { answerMemory } from "../../../services/ports/outbound/AnswerMemory.ts"
import { BatchRun } from "../../../layers/http2/BatchRun.ts"
import { Chance } from "./Chance.ts"
import * as raw from "./RawPeer.ts"
import { TYPES } from "./RawPeer.ts"
import { makeBatch, Results } from "./Sending.ts"

/** A reader that holds no header block once its test is over: what it holds counts for the process. */
const readerFor = (handler: FrameHandler): FrameReader => {
  const reader = new FrameReader(handler, () => {})
  onTestFinished(() => reader.stop())
  return reader
}

afterAll(() => expect(answerMemory.bytes).toBe(0))

/** Notes every call as a line. */
const notes = (): { readonly lines: Array<string>; readonly handler: FrameHandler } => {
  const lines: Array<string> = []
  const part = (bytes: Buffer, start: number, end: number) => bytes.toString("hex", start, end)
  return {
    lines,
    handler: {
      onHeaders: (id, last, bytes, start, end) => lines.push(`headers ${id} ${last} ${part(bytes, start, end)}`),
      onData: (id, last, bytes, start, end, flow) =>
        lines.push(`data ${id} ${last} ${part(bytes, start, end)} ${flow}`),
      onReset: (id, code) => lines.push(`reset ${id} ${code}`),
      onSettings: (bytes, start, end) => lines.push(`settings ${part(bytes, start, end)}`),
      onSettingsAck: () => lines.push("acknowledged"),
      onPing: (ack, bytes, at) => lines.push(`ping ${ack} ${part(bytes, at, at + 8)}`),
      onGoaway: (last, code) => lines.push(`goaway ${last} ${code}`),
      onWindow: (id, increment) => lines.push(`window ${id} ${increment}`),
      onOther: () => lines.push("other")
    }
  }
}

const padded = (type: number, flags: number, id: number, payload: Buffer, padding: number): Buffer =>
  raw.frame(type, flags | 8, id, Buffer.concat([Buffer.from([padding]), payload, Buffer.alloc(padding)]))

const fields = raw.block([":status", "200"], ["x-a", "b".repeat(40)])
/** One of every frame that a server may send, in all its forms. */
const EVERYTHING = Buffer.concat([
  raw.settings([3, 100], [0xf0f0, 7]),
  raw.frame(TYPES.settings, 1, 0),
  raw.ok(1),
  padded(TYPES.headers, 4, 3, fields, 30),
  raw.frame(TYPES.headers, 4 | 0x20, 5, Buffer.concat([raw.uint32(0), Buffer.from([9]), fields])),
  raw.frame(TYPES.headers, 1, 7, fields.subarray(0, 10)),
  raw.frame(TYPES.continuation, 0, 7),
  raw.frame(TYPES.continuation, 0, 7, fields.subarray(10, 11)),
  raw.frame(TYPES.continuation, 4, 7, fields.subarray(11)),
  raw.data(3, "hello", false),
  padded(TYPES.data, 1, 3, Buffer.from("padded"), 255),
  raw.data(5, "x".repeat(16_384)),
  raw.frame(TYPES.data, 0, 9),
  raw.reset(9, 8),
  raw.frame(TYPES.ping, 0, 0, Buffer.from("12345678")),
  raw.frame(TYPES.ping, 1, 0, Buffer.from("87654321")),
  raw.frame(TYPES.window, 0, 0, raw.uint32(0x8000_0001)),
  raw.frame(TYPES.window, 0, 5, raw.uint32(9)),
  raw.frame(TYPES.priority, 0, 11, Buffer.alloc(5)),
  raw.frame(0x42, 0xff, 77, Buffer.from("unknown")),
  raw.frame(TYPES.goaway, 0, 0, Buffer.concat([raw.uint32(5, 2), Buffer.from("debug")]))
])
const SAID = [
  "settings 000300000064f0f000000007",
  "acknowledged",
  `headers 1 true ${raw.block([":status", "200"]).toString("hex")}`,
  `headers 3 false ${fields.toString("hex")}`,
  `headers 5 false ${fields.toString("hex")}`,
  "other",
  "other",
  "other",
  `headers 7 true ${fields.toString("hex")}`,
  `data 3 false ${Buffer.from("hello").toString("hex")} 5`,
  `data 3 true ${Buffer.from("padded").toString("hex")} 262`,
  `data 5 true ${"78".repeat(16_384)} 16384`,
  "data 9 false  0",
  "reset 9 8",
  `ping false ${Buffer.from("12345678").toString("hex")}`,
  `ping true ${Buffer.from("87654321").toString("hex")}`,
  "window 0 1",
  "window 5 9",
  "other",
  "other",
  "goaway 5 2"
]

describe("FrameReader", () => {
  it("hands on every frame that comes in one chunk", () => {
    const { lines, handler } = notes()
    readerFor(handler).read(EVERYTHING)
    expect(lines).toEqual(SAID)
  })

  it("hands on the same when one byte comes at a time", () => {
    const { lines, handler } = notes()
    const reader = readerFor(handler)
    for (const byte of EVERYTHING) reader.read(Buffer.from([byte]))
    expect(lines).toEqual(SAID)
  })

  it("hands on the same in whatever chunks the bytes come", () => {
    const chance = new Chance(9113)
    for (let round = 0; round < 300; round++) {
      const { lines, handler } = notes()
      const reader = readerFor(handler)
      for (const chunk of chance.chunks(EVERYTHING, chance.pick([3, 12, 100, 5000, 20_000]))) reader.read(chunk)
      expect(lines).toEqual(SAID)
    }
  })

  it("keeps nothing of a chunk: its memory may be written over once it was read", () => {
    const chance = new Chance(2)
    for (let round = 0; round < 100; round++) {
      const { lines, handler } = notes()
      const reader = readerFor(handler)
      for (const chunk of chance.chunks(EVERYTHING, chance.pick([3, 12, 100, 5000]))) {
        reader.read(chunk)
        chunk.fill(0xff)
      }
      expect(lines).toEqual(SAID)
    }
  })

  it("hands on nothing after it was stopped, not even from the same chunk", () => {
    const seen: Array<number> = []
    const reader: FrameReader = readerFor({
      ...notes().handler,
      onReset: (id) => {
        seen.push(id)
        reader.stop()
      }
    })
    reader.read(Buffer.concat([raw.settings(), raw.reset(1, 8), raw.reset(3, 8)]))
    expect(seen).toEqual([1])
  })

  it("throws nothing but a typed error, whatever the bytes are", () => {
    const chance = new Chance(1)
    let broken = 0
    for (let round = 0; round < 2000; round++) {
      const bytes = chance.below(10) === 0 ? chance.bytes(chance.below(300)) : chance.mutate(EVERYTHING)
      const reader = readerFor(notes().handler)
      try {
        for (const chunk of chance.chunks(bytes, 9000)) reader.read(chunk)
      } catch (error) {
        expect(error).toBeInstanceOf(PeerError)
        broken++
      }
    }
    expect(broken).toBeGreaterThan(500)
  })
})

describe("Http2Session over a broken line", () => {
  const STREAMS = 12
  const begin = () => {
    const results = new Results()
    const run = new BatchRun(makeBatch(results, STREAMS), () => {})
    const output = new Output(new Writable({ write: (_chunk, _encoding, done) => done() }), {
      onDrained: () => {},
      isStale: () => false
    })
    const session = new Http2Session(
      {
        onAnswer: (run, index, answer) => run.answer(index, answer),
        onFailure: (run, index, failure) => run.fail(index, failure),
        onSettings: () => {},
        onLeaving: () => {},
        onGivenUp: () => {}
      },
      output,
      new HpackEncoder(),
      { maxBody: 1000 }
    )
    for (let n = 0; n < STREAMS; n++) session.streams.open(run, run.take(), 0, 65_535)
    return { results, session, reader: readerFor(session) }
  }
  const script = (chance: Chance): Buffer => {
    const frames: Array<Buffer> = [raw.settings([3, 100]), raw.frame(TYPES.settings, 1, 0)]
    for (let index = 0; index < STREAMS; index++) {
      const id = 2 * index + 1
      const kind = chance.below(6)
      if (kind === 0) frames.push(raw.reset(id, chance.below(14)))
      else if (kind === 1)
        frames.push(
          raw.headers(id, [
            [":status", "200"],
            ["x-index", String(index)]
          ])
        )
      else {
        frames.push(
          raw.headers(
            id,
            [
              [":status", "410"],
              ["x-index", String(index)],
              ["content-length", "7"]
            ],
            false
          )
        )
        frames.push(raw.data(id, "abc", false), raw.data(id, "defg"))
      }
    }
    frames.push(raw.goaway(2 * chance.below(STREAMS) + 1))
    return Buffer.concat(frames)
  }

  it("gives every request exactly one call, and only typed errors, however the peer's bytes are spoiled", () => {
    const chance = new Chance(3)
    let broken = 0
    for (let round = 0; round < 3000; round++) {
      const { results, session, reader } = begin()
      try {
        for (const chunk of chance.chunks(chance.mutate(script(chance)), 400)) reader.read(chunk)
      } catch (error) {
        expect(error).toBeInstanceOf(PeerError)
        broken++
      }
      session.over(failure("closed", "over", false))
      expect([results.calls, results.answers.size + results.failures.size]).toEqual([STREAMS, STREAMS])
    }
    expect(broken).toBeGreaterThan(500)
  })

  it("never gives a request another's answer, in whatever order and chunks the answers come", () => {
    const chance = new Chance(4)
    for (let round = 0; round < 500; round++) {
      const { results, reader } = begin()
      const ids = Array.from({ length: STREAMS }, (_, n) => 2 * n + 1)
      const frames: Array<Buffer> = [raw.settings()]
      while (ids.length > 0) {
        const id = ids.splice(chance.below(ids.length), 1)[0]!
        const index = String((id - 1) / 2)
        frames.push(
          raw.headers(
            id,
            [
              [":status", "200"],
              ["x-index", index]
            ],
            false
          ),
          raw.data(id, index)
        )
      }
      for (const chunk of chance.chunks(Buffer.concat(frames), 50)) {
        reader.read(chunk)
        chunk.fill(0xff)
      }
      expect(results.answers.size).toBe(STREAMS)
      for (const [index, answer] of results.answers) {
        expect([answer.header("x-index"), answer.body]).toEqual([String(index), String(index)])
      }
    }
  })
})
