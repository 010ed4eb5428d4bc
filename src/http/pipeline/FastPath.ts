import { Effect, Exit } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Placed } from "../../../services/domain/operations/Places.ts"
import { Places } from "../../../services/domain/operations/Places.ts"
import { makeForks } from "../../../services/ports/operations/Forks.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { errorReply, unavailable } from "./ApiError.ts"
import { readBytes } from "./Body.ts"
import type { Incoming } from "./Incoming.ts"
import type { Reply } from "./Reply.ts"
import { writeReply } from "./Reply.ts"
import type { Entered, FastRoute } from "./FastEntry.ts"

/*
 * The fast path: POSTs whose path says all, from node's server to their route and back without the router, its request
 * and its response in between, which cost as much as all the rest of an accept. What is special about a request (a query,
 * a body of unknown or too great length, one that waits for `100 Continue`) is left to the router, which serves the
 * same routes by the same pipeline.
 */

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export interface FastPath {
  /** By path. */
  readonly posts: Map<string, { readonly serve: Serve; readonly bodyLimit: number; readonly hasEvents: boolean }>
}

export const makeFastPath = (): FastPath => ({ posts: new Map() })

/** Whether an `Accept` header names server-sent events. */
const wantsEvents = (accept: string | undefined): boolean =>
  accept !== undefined && accept.toLowerCase().includes("text/event-stream")

/** The route that takes this request, if it is a plain one. */
export const fastPathFor = ({ posts }: FastPath, { headers, method, url }: IncomingMessage): Serve | undefined => {
  if (method !== "POST") return undefined
  const route = posts.get(url!)
  if (route === undefined || headers.expect !== undefined || headers["transfer-encoding"] !== undefined)
    return undefined
  if (route.hasEvents && wantsEvents(headers.accept)) return undefined
  return Number(headers["content-length"]) <= route.bodyLimit ? route.serve : undefined
}

/**
 * Serves a path until the scope closes. Where there is nothing to wait for at the door, the body is read by plain
 * callbacks, and the fiber begins with the work.
 */
export const open = Effect.fnUntraced(function* (
  fastPath: FastPath,
  path: string,
  route: FastRoute,
  /** Headers of an answer to what was cut short. */
  headersOf: (requestId: string) => Record<string, string>
): Effect.fn.Return<void, never, Scope.Scope> {
  const fork = yield* makeForks
  /** What cuts short those whose bodies are on their way. */
  const arriving = new Places<Placed & { readonly cut: () => void }>()
  const serve: Serve = (incoming, outgoing) => {
    const requestId = uuidv7()
    const request = {
      headers: incoming.headers,
      method: "POST",
      source: incoming,
      url: incoming.url!
    } as unknown as Incoming
    const cutShort = () => {
      if (outgoing.destroyed) return
      writeReply(outgoing, errorReply(unavailable(), requestId, { ...headersOf(requestId), connection: "close" }))
    }
    const run = (work: Effect.Effect<Reply>, wait: Entered["wait"] | null) => {
      const fiber = fork(work)
      let end: ReturnType<Entered["wait"]> | undefined
      let isGivenUp = false
      const finish = (exit: Exit.Exit<Reply>) => {
        end?.(Exit.isSuccess(exit) ? exit.value : null)
        if (isGivenUp) return
        if (Exit.isFailure(exit)) return cutShort()
        if (!outgoing.destroyed) writeReply(outgoing, exit.value)
      }
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return finish(exit)
      end = wait?.((late) => {
        isGivenUp = true
        fiber.interruptUnsafe()
        run(late, null)
      })
      fiber.addObserver(finish)
      outgoing.on("close", () => {
        if (!outgoing.writableEnded) fiber.interruptUnsafe()
      })
    }
    const entered = route.enter(request, requestId)
    if (entered === null) return run(route.whole(request, requestId), null)
    const announced = Number(incoming.headers["content-length"])
    const stop = readBytes(incoming, announced, route.bodyLimit, entered.owner, (read) => {
      arriving.leave(mine)
      run(entered.work(read), entered.wait)
    })
    const cut = () => {
      stop()
      cutShort()
    }
    const mine = arriving.enter({ cut, place: -1 })
  }
  fastPath.posts.set(path, { serve, bodyLimit: route.bodyLimit, hasEvents: route.hasEvents === true })
  // Before those whose work is under way are interrupted.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      fastPath.posts.delete(path)
      for (const { cut } of arriving.all()) cut()
    })
  )
})
