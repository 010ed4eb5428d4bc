import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { IncomingHttpHeaders, RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/** A span as a collector reads it from OTLP/JSON. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: number
  /** 1 ok, 2 error. */
  readonly status: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  /** Which process it comes from. */
  readonly instance: string
  readonly text: string
}

export interface Collector {
  readonly url: string
  readonly spans: Array<CollectedSpan>
  readonly requests: Array<{ readonly path: string; readonly headers: IncomingHttpHeaders }>
}

type Value = Readonly<Record<string, unknown>>
interface Attribute {
  readonly key: string
  readonly value: Value
}
interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly status: { readonly code: number }
}
interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<WireSpan> }>
  }>
}

const read = (attributes: ReadonlyArray<Attribute>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [type, inner] = Object.entries(value)[0]!
      return [key, type === "intValue" ? Number(inner) : inner]
    })
  )

const listening = (handler: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(handler)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const urlOf = (server: ReturnType<typeof createServer>) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** An OTLP collector that takes what it is sent, and answers nothing. */
export const startSilentCollector = Effect.gen(function* () {
  let requests = 0
  const server = yield* listening((request) => {
    request.resume()
    requests++
  })
  return { url: urlOf(server), requests: () => requests }
})

/** An OTLP collector that keeps what it gets. */
export const startCollector: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function* () {
  const spans: Array<CollectedSpan> = []
  const requests: Array<Collector["requests"][number]> = []
  const server = yield* listening((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      requests.push({ path: request.url!, headers: request.headers })
      const traces = JSON.parse(Buffer.concat(chunks).toString()) as Traces
      for (const { resource, scopeSpans } of traces.resourceSpans) {
        const instance = String(read(resource.attributes)["service.instance.id"])
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({
            traceId: span.traceId,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId || null,
            name: span.name,
            kind: span.kind,
            status: span.status.code,
            startNs: BigInt(span.startTimeUnixNano),
            endNs: BigInt(span.endTimeUnixNano),
            attributes: read(span.attributes),
            instance,
            text: JSON.stringify(span)
          })
        }
      }
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  return { url: urlOf(server), spans, requests }
})
