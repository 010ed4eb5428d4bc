import type { Server, ServerResponse } from "node:http"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Budget } from "../../../services/domain/access/RateLimit.ts"
import { excludesQueue } from "../endpoints/Status.ts"
import { note, uncounted } from "./Admission.ts"
import type { Detail } from "./ApiError.ts"
import { ApiError, errorBody, STATUS } from "./ApiError.ts"
import { headersFor } from "./Reply.ts"

const RETRY_AFTER_SECONDS = 2

const write = (response: ServerResponse, status: number, body: string, headers: Record<string, string>): void => {
  response.writeHead(status, { ...headers, "content-type": "application/json" }).end(body)
}

/**
 * What a node answers while it waits for its database and its queue, so that it can listen from its first moment on: it
 * is alive (`/healthz`), but not ready (`/readyz` says what is missing), and asks everybody else to come again. The node's
 * own handler takes over by being added; no request finds both, or neither.
 */
export const answerWhileStarting = (
  server: Server,
  anonymous: Budget,
  missing: (isQueueExcluded: boolean) => Promise<ReadonlyArray<Detail>>
): Server => {
  server.on("request", (request, response) => {
    // What it brought along is not read, and must not be taken for the next request.
    request.resume()
    response.on("error", () => {})
    const requestId = uuidv7()
    const headers = headersFor(requestId, false)
    note(headers, uncounted(anonymous))
    const path = request.url!.split("?", 1)[0]
    if (path === "/healthz") return write(response, 200, JSON.stringify({ status: "ok" }), headers)
    void missing(path === "/readyz" && excludesQueue(request.url!)).then((details) => {
      const error = new ApiError("unavailable", "The service is not ready.", details)
      write(response, STATUS.unavailable, errorBody(error, requestId), {
        ...headers,
        "retry-after": String(RETRY_AFTER_SECONDS)
      })
    })
  })
  const [own] = server.listeners("request") as [() => void]
  const leave = (event: string | symbol) => {
    if (event !== "request") return
    server.off("newListener", leave)
    server.off("request", own)
  }
  return server.on("newListener", leave)
}
