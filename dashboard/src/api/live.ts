import type { RefObject } from "react"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import type { Answer } from "./request.ts"
import { answerIn, onOutcome, post, refusalIn } from "./request.ts"
import type { TypedDocument } from "./typedDocument.ts"

/** Pauses before a stream is asked for again, in milliseconds; the last one stays. */
const PAUSES = [500, 1_000, 2_000, 5_000, 10_000]

/**
 * The service says something every 15 seconds, be it only that it is there. After so long without a word a stream is lost:
 * a network that goes away ends none. Milliseconds.
 */
const SILENCE_MS = 45_000

/** Whoever looks at a page again does not wait for the end of the silence. */
const LATE_MS = 20_000

/**
 * A page that nobody looks at holds no stream for longer: over HTTP/1.1 a browser has six connections to a host, for all
 * its tabs. Nothing is missed, as a stream begins with the whole answer. Milliseconds.
 */
const HIDDEN_MS = 5_000

type Event = { readonly name: string; readonly data: string }

/** Events out of a stream's text: blocks of lines, divided by an empty one. Comments are heard, and left out. */
async function* eventsOf(body: ReadableStream<BufferSource>, heard: () => void): AsyncGenerator<Event> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    heard()
    const blocks = (rest + value).split("\n\n")
    rest = blocks.pop()!
    for (const block of blocks) {
      const fields = new Map(
        block
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trimStart()])
      )
      if (fields.has("event")) yield { name: fields.get("event")!, data: fields.get("data") ?? "" }
    }
  }
}

/** `live`: changes arrive; `waiting`: not at the moment, asked again soon; `ended`: there will be no more. */
export type LiveState = "live" | "waiting" | "ended"

/** When a stream has said something last, and since when the present one speaks: Infinity while there is none. */
export interface Heard {
  readonly at: number
  readonly since: number
}

export interface Live {
  readonly state: LiveState
  readonly heard: RefObject<Heard>
}

const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

const isHidden = (): boolean => document.hidden

/** Until somebody looks at the page. */
const looked = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      if (isHidden() && !signal.aborted) return
      document.removeEventListener("visibilitychange", end)
      signal.removeEventListener("abort", end)
      resolve()
    }
    document.addEventListener("visibilitychange", end)
    signal.addEventListener("abort", end)
    end()
  })

/**
 * What is heard of a stream: it is given up after too long a silence, when nobody looks, and when there is a better moment
 * for another.
 */
const listen = (signal: AbortSignal) => {
  const giveUp = new AbortController()
  const end = (): void => giveUp.abort()
  let heardAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let leaving: ReturnType<typeof setTimeout> | undefined
  const heard = (): void => {
    heardAt = Date.now()
    clearTimeout(timer)
    timer = setTimeout(end, SILENCE_MS)
  }
  const seen = (): void => {
    clearTimeout(leaving)
    if (isHidden()) leaving = setTimeout(end, HIDDEN_MS)
    else if (Date.now() - heardAt > LATE_MS) end()
  }
  heard()
  seen()
  signal.addEventListener("abort", end)
  addEventListener("online", end)
  document.addEventListener("resume", end)
  document.addEventListener("visibilitychange", seen)
  const close = (): void => {
    clearTimeout(timer)
    clearTimeout(leaving)
    signal.removeEventListener("abort", end)
    removeEventListener("online", end)
    document.removeEventListener("resume", end)
    document.removeEventListener("visibilitychange", seen)
  }
  return { signal: giveUp.signal, heard, close }
}

type End = "ended" | "cut"

/** Follows a subscription until its stream is over, and calls with every answer. */
const follow = async <A>(
  document: TypedDocument<A, never>,
  variables: unknown,
  { heard, signal }: Pick<ReturnType<typeof listen>, "heard" | "signal">,
  onLive: () => void,
  onAnswer: (answer: A) => void
): Promise<End> => {
  const response = await post(document as never, variables, "text/event-stream", signal)
  if (!response.ok || response.body === null) {
    const refusal = refusalIn(await answerIn(response, document as never))
    return refusal?.code === "not_found" || refusal?.code === "unauthorized" ? "ended" : "cut"
  }
  onLive()
  for await (const { data, name } of eventsOf(response.body as ReadableStream<BufferSource>, heard)) {
    if (name === "complete") return "ended"
    const answer = JSON.parse(data) as Answer
    // Whoever listens for an ended session is told.
    refusalIn(answer)
    if (answer.data) onAnswer(answer.data as A)
  }
  return "cut"
}

/** Follows a subscription as long as the component shows and somebody looks at it, and calls with every answer. */
export const useLive = <A, V>(
  document: TypedDocument<A, V>,
  variables: V,
  isWanted: boolean,
  onAnswer: (answer: A) => void
): Live => {
  const [state, setState] = useState<LiveState>("waiting")
  const heard = useRef<Heard>({ at: 0, since: Infinity })
  const [sessions, setSessions] = useState(0)
  const answered = useEffectEvent(onAnswer)
  const key = JSON.stringify(variables)
  useEffect(
    () =>
      onOutcome((outcome) => {
        if (outcome === "signed_in") setSessions((before) => before + 1)
      }),
    []
  )
  useEffect(() => {
    if (!isWanted) return
    const abort = new AbortController()
    const { signal } = abort
    const run = async (): Promise<void> => {
      for (let tries = 0; !signal.aborted; tries++) {
        await looked(signal)
        if (signal.aborted) return
        const began = performance.now()
        const stream = listen(signal)
        const spoken = (): void => {
          stream.heard()
          const at = Date.now()
          heard.current = { at, since: Math.min(heard.current.since, at) }
        }
        const end = await follow(
          document as never,
          JSON.parse(key),
          { signal: stream.signal, heard: spoken },
          () => setState("live"),
          answered
        ).catch(() => "cut" as const)
        stream.close()
        heard.current = { ...heard.current, since: Infinity }
        if (signal.aborted) return
        if (end === "ended") return setState("ended")
        if (isHidden()) continue
        setState("waiting")
        if (stream.signal.aborted || performance.now() - began > 30_000) tries = 0
        await rest(PAUSES[Math.min(tries, PAUSES.length - 1)]!, signal)
      }
    }
    void run()
    return () => abort.abort()
  }, [document, key, isWanted, sessions])
  return { state, heard }
}
