import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A page of the site, or a file of it. */
export interface SiteFile {
  readonly body: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A customer's website: on localhost, which browsers take for secure. */
export interface Site {
  readonly url: string
  /** The files by path. What is not here is taken from the service, as by a customer's proxy. */
  readonly files: Map<string, SiteFile>
  /** Paths that were asked for, newest last. */
  readonly asked: Array<string>
  readonly close: () => Promise<void>
}

const HTML = "text/html; charset=utf-8"

/** A site in front of a service at `api`, of which it passes on `/sw.js` and `/sdk/…`. */
export const openSite = async (api: string, pages: Readonly<Record<string, SiteFile>>): Promise<Site> => {
  const files = new Map(Object.entries(pages))
  const asked: Array<string> = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url!.split("?", 1)[0]!
    asked.push(request.url!)
    const file = files.get(path)
    if (file !== undefined) {
      response.writeHead(200, { "content-type": file.type ?? HTML, "cache-control": "no-store", ...file.headers })
      return void response.end(file.body)
    }
    if (path !== "/sw.js" && !path.startsWith("/sdk/")) return void response.writeHead(404).end()
    const upstream = await fetch(api + path)
    const type = upstream.headers.get("content-type") ?? "text/plain"
    response.writeHead(upstream.status, { "content-type": type, "cache-control": "no-cache" })
    response.end(await upstream.text())
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    files,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** Waits until an answer is as it should be; what it was last is in the error. */
export const until = async <A>(
  what: string,
  ask: () => Promise<A> | A,
  isThere: (answer: A) => boolean,
  ms = 60_000
): Promise<A> => {
  const end = Date.now() + ms
  while (true) {
    const answer = await ask()
    if (isThere(answer)) return answer
    if (Date.now() > end) throw new Error(`${what} did not happen; the last answer was ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
