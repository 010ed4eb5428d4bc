/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly data: string
  readonly id: string | null
}

const eventOf = (block: string): ServerEvent | null => {
  let event = "message"
  let id: string | null = null
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (name === "event") event = value
    else if (name === "data") data.push(value)
    else if (name === "id") id = value
  }
  return data.length === 0 ? null : { event, data: data.join("\n"), id }
}

/**
 * The events of a body, until it ends or is silent for too long. `EventSource` would do this, if it could send a key in
 * a header.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ""
  let watchdog: ReturnType<typeof setTimeout> | undefined
  try {
    while (true) {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => void reader.cancel().catch(() => undefined), silenceMs)
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value.replace(/\r\n?/g, "\n")).split("\n\n")
      rest = blocks.pop()!
      for (const block of blocks) {
        const event = eventOf(block)
        if (event !== null) yield event
      }
    }
  } finally {
    clearTimeout(watchdog)
    await reader.cancel().catch(() => undefined)
  }
}
