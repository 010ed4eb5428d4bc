import { Effect, Exit, Fiber } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { uuidv7 } from "../../services/domain/Ids.ts"
import { errorReply, unavailable } from "./ApiError.ts"
import { readBytes } from "./Body.ts"
import type { Incoming } from "./Incoming.ts"
import type { Reply } from "./Reply.ts"
import { writeReply } from "./Reply.ts"
import type { ExpressRoad } from "./ShortRoad.ts"

/*
 * The express way: POSTs whose path says all, from node's server to their route and back without the router, its request
 * and its response in between, which cost as much as all the rest of an accept. What is special about a request (a query,
 * a body of unknown or too great length, one that waits for `100 Continue`) is left to the router, which serves the
 * same routes by the same road.
 */

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export interface Express {
  /** By path. */
  readonly posts: Map<string, Serve>
  /** Bytes; longer bodies are the router's to refuse. */
  bodyLimit: number
}

export const makeExpress = (): Express => ({ posts: new Map(), bodyLimit: 0 })

/** The route that takes this request, if it is a plain one. */
export const expressFor = (
  { bodyLimit, posts }: Express,
  { headers, method, url }: IncomingMessage
): Serve | undefined => {
  if (method !== "POST") return undefined
  const serve = posts.get(url!)
  if (serve === undefined || headers.expect !== undefined || headers["transfer-encoding"] !== undefined)
    return undefined
  return Number(headers["content-length"]) <= bodyLimit ? serve : undefined
}

/**
 * Serves a path until the scope closes. Where there is nothing to wait for at the door, the body is read by plain
 * callbacks, and the fiber begins with the work.
 */
export const open = Effect.fnUntraced(function* (
  express: Express,
  path: string,
  road: ExpressRoad,
  /** Headers of an answer to what was cut short. */
  headersOf: (requestId: string) => Record<string, string>
): Effect.fn.Return<void, never, Scope.Scope> {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const underWay = new Set<Fiber.Fiber<Reply>>()
  /** What cuts short those whose bodies are on their way. */
  const arriving = new Set<() => void>()
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
    const run = (work: Effect.Effect<Reply>) => {
      const fiber = fork(work)
      const finish = (exit: Exit.Exit<Reply>) => {
        underWay.delete(fiber)
        if (Exit.isFailure(exit)) return cutShort()
        if (!outgoing.destroyed) writeReply(outgoing, exit.value)
      }
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return finish(exit)
      underWay.add(fiber)
      fiber.addObserver(finish)
      outgoing.on("close", () => {
        if (!outgoing.writableEnded) fiber.interruptUnsafe()
      })
    }
    const work = road.enter(request, requestId)
    if (work === null) return run(road.whole(request, requestId))
    const stop = readBytes(incoming, Number(incoming.headers["content-length"]), express.bodyLimit, (read) => {
      arriving.delete(cut)
      run(work(read))
    })
    const cut = () => {
      stop()
      cutShort()
    }
    arriving.add(cut)
  }
  express.posts.set(path, serve)
  yield* Effect.addFinalizer(() => {
    express.posts.delete(path)
    for (const cut of arriving) cut()
    return Fiber.interruptAll(underWay)
  })
})
