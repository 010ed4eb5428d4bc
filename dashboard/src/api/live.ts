import { useEffect, useEffectEvent, useState } from "react"
import { answerIn, post, refusalIn } from "./request.ts"
import type { TypedDocument } from "./typedDocument.ts"

/** Pauses before a stream is asked for again, in milliseconds; the last one stays. */
const PAUSES = [500, 1_000, 2_000, 5_000, 10_000]

type Event = { readonly name: string; readonly data: string }

/** Events out of a stream's text: blocks of lines, divided by an empty one. Comments are left out. */
async function* eventsOf(body: ReadableStream<BufferSource>): AsyncGenerator<Event> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
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

const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Follows a subscription as long as the component shows, and calls with every answer. */
export const useLive = <A, V>(
  document: TypedDocument<A, V>,
  variables: V,
  isWanted: boolean,
  onAnswer: (answer: A) => void
): LiveState => {
  const [state, setState] = useState<LiveState>("waiting")
  const answered = useEffectEvent(onAnswer)
  const key = JSON.stringify(variables)
  useEffect(() => {
    if (!isWanted) return
    const abort = new AbortController()
    const { signal } = abort
    const follow = async (): Promise<"ended" | "cut"> => {
      const response = await post(document as never, JSON.parse(key), "text/event-stream", signal)
      if (!response.ok || response.body === null) {
        const refusal = refusalIn(await answerIn(response, document as never))
        return refusal?.code === "not_found" || refusal?.code === "unauthorized" ? "ended" : "cut"
      }
      setState("live")
      for await (const { data, name } of eventsOf(response.body as ReadableStream<BufferSource>)) {
        if (name === "complete") return "ended"
        const answer = JSON.parse(data) as { readonly data?: A }
        if (answer.data) answered(answer.data)
      }
      return "cut"
    }
    const run = async (): Promise<void> => {
      for (let tries = 0; !signal.aborted; tries++) {
        const began = performance.now()
        const end = await follow().catch(() => "cut" as const)
        if (signal.aborted) return
        if (end === "ended") return setState("ended")
        setState("waiting")
        if (performance.now() - began > 30_000) tries = 0
        await rest(PAUSES[Math.min(tries, PAUSES.length - 1)]!, signal)
      }
    }
    void run()
    return () => abort.abort()
  }, [document, key, isWanted])
  return state
}
