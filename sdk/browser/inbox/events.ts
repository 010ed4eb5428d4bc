/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly data: string
  readonly id: string | null
}

const eventOf = (block: string): ServerEvent | null => {
  const fields: Record<string, string> = { event: "message" }
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!
    if (name === "data") data.push(value)
    else fields[name!] = value
  }
  return data.length === 0 ? null : { event: fields["event"]!, data: data.join("\n"), id: fields["id"] ?? null }
}

/**
 * The events of a body, until it ends or is silent for too long. `EventSource` would do this, if it could send a key in
 * a header.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>, silenceMs: number): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ""
  const end = (): void => void reader.cancel().catch(() => undefined)
  let watchdog: ReturnType<typeof setTimeout> | undefined
  try {
    while (true) {
      clearTimeout(watchdog)
      watchdog = setTimeout(end, silenceMs)
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
    end()
  }
}
