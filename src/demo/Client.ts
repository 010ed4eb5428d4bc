import { Effect } from "effect"
import { DemoError } from "./DemoProcesses.ts"

export interface Client {
  readonly call: <A>(method: string, path: string, body?: unknown) => Effect.Effect<A, DemoError>
  /** Sends lines of NDJSON and hands each line of the answer over as it comes. */
  readonly lines: (
    path: string,
    body: ReadableStream<Uint8Array>,
    onLine: (line: { readonly id?: string; readonly error?: unknown }) => void
  ) => Effect.Effect<void, DemoError>
}

/** Talks to the REST surface as a customer's server does. */
export const makeClient = (baseUrl: string, secretKey: string): Client => {
  const headers = { authorization: `ApiKey ${secretKey}` }
  const failure = (method: string, path: string) => (cause: unknown) =>
    new DemoError({ message: `${method} ${path} failed: ${cause instanceof Error ? cause.message : String(cause)}` })
  return {
    call: <A>(method: string, path: string, body?: unknown) =>
      Effect.tryPromise({
        try: async () => {
          const response = await fetch(`${baseUrl}/api/v1${path}`, {
            method,
            headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
          const text = await response.text()
          if (!response.ok) throw new Error(`${response.status} ${text}`)
          return JSON.parse(text) as A
        },
        catch: failure(method, path)
      }),
    lines: (path, body, onLine) =>
      Effect.tryPromise({
        try: async () => {
          const response = await fetch(`${baseUrl}/api/v1${path}`, {
            method: "POST",
            headers: { ...headers, "content-type": "application/x-ndjson" },
            body,
            duplex: "half"
          } as RequestInit)
          if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`)
          let rest = ""
          for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
            const parts = (rest + chunk).split("\n")
            rest = parts.pop()!
            for (const part of parts) if (part !== "") onLine(JSON.parse(part))
          }
        },
        catch: failure("POST", path)
      })
  }
}
