import { describe, expect, it } from "vitest"
import { readEvents } from "../../sdk/browser/inbox/events.ts"

const SILENCE_MS = 10_000

const read = async (...chunks: ReadonlyArray<string>) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    }
  })
  return Array.fromAsync(readEvents(body, SILENCE_MS))
}

describe("the events of an inbox stream, in the browsers' SDK", () => {
  it("end at line feeds and at no other sign that some take for the end of a line", async () => {
    const data = JSON.stringify({ title: "a\u2028id: 8\u2029event: x\u0085\vb" })
    expect(await read(`id: 7\nevent: message\ndata: ${data}\n\n`, "event: unread_count\ndata: {}\n\n")).toEqual([
      { event: "message", data, id: "7" },
      { event: "unread_count", data: "{}", id: null }
    ])
  })

  it("are whole wherever they were cut, and none is made of a comment", async () => {
    expect(await read(": open\nretry: 3000\n\n: beat\n\nid: 1\neve", "nt: message\nda", "ta: {}\n", "\n")).toEqual([
      { event: "message", data: "{}", id: "1" }
    ])
  })
})
