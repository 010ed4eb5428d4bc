/** One event of a stream, as a client sees it. */
export interface StreamEvent {
  readonly event: string
  readonly id: string | null
  // Tests look into what they sent themselves.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** Reads server-sent events from a connection of its own. */
export const follow = async (url: string, headers: Record<string, string> = {}, body?: string) => {
  const abort = new AbortController()
  const response = await fetch(url, {
    headers,
    signal: abort.signal,
    ...(body === undefined ? {} : { method: "POST", body })
  })
  const events: Array<StreamEvent> = []
  const comments: Array<string> = []
  let waiting: Array<() => void> = []
  let isEnded = false
  const changed = () => {
    const all = waiting
    waiting = []
    for (const wake of all) wake()
  }
  const take = (block: string) => {
    const field = (name: string) =>
      block
        .split("\n")
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    comments.push(...block.split("\n").flatMap((line) => (line.startsWith(":") ? [line.slice(2)] : [])))
    const [event, data] = [field("event"), field("data")]
    if (event !== undefined)
      events.push({ event, id: field("id") ?? null, data: data === undefined || data === "" ? null : JSON.parse(data) })
  }
  const read = async () => {
    let text = ""
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        const blocks = text.split("\n\n")
        text = blocks.pop()!
        blocks.forEach(take)
        changed()
      }
    } catch {
      // Cut off: by us, or because the other side is gone.
    }
    isEnded = true
    changed()
  }
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  const ended = isStream ? read() : Promise.resolve()
  return {
    response,
    events,
    comments,
    /** Waits until what was read is as it should be, or the stream ended. */
    until: async (isThere: () => boolean) => {
      while (!isThere()) {
        if (isEnded) throw new Error(`The stream ended with ${JSON.stringify(events)}`)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    titles: () => events.filter(({ event }) => event === "message").map(({ data }) => data.title as string),
    unread: () => events.findLast(({ event }) => event === "unread_count")?.data.unread_count as number | undefined,
    lastId: () => events.findLast(({ id }) => id !== null)?.id ?? null,
    ended,
    close: () => abort.abort()
  }
}
export type Follower = Awaited<ReturnType<typeof follow>>
