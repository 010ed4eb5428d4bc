import { randomUUID } from "node:crypto"
import { createRequire } from "node:module"
import { HeliographConnectionError } from "./errors.js"
import { operations } from "./generated/operations.js"
import { objectOf, partsOf, readLines } from "./lines.js"
import { send } from "./transport.js"
import { encode, textOf } from "./values.js"

export * from "./errors.js"
export { parseWebhook, verifyWebhook } from "./webhooks.js"

const LINES = "application/x-ndjson"
const { version } = createRequire(import.meta.url)("./package.json")

/**
 * @typedef {import("./types.js").HeliographOptions} Options
 * @typedef {import("./types.js").RequestOptions} RequestOptions
 * @typedef {import("./types.js").OperationEntry} Entry
 * @typedef {Readonly<Record<string, unknown>>} Query
 */

/**
 * A call's arguments, in their order: ids, body, query, options, as far as the operation has them.
 *
 * @param {Entry} entry
 * @param {ReadonlyArray<any>} given
 */
const readArguments = (entry, given) => {
  const rest = [...given]
  const path = entry.path.replace(/\{([^}]+)\}/g, (_, name) => {
    const id = rest.shift()
    // Left out, it would make another address of it: that of the list.
    if (typeof id !== "string" || id === "") throw new TypeError(`${name} must be a text that is not empty`)
    // In a path they lead elsewhere, percent-encoded too.
    if (id === "." || id === "..") throw new TypeError(`${name} must not be "${id}", which no path can hold`)
    if (!id.isWellFormed()) throw new TypeError(`${name} must be Unicode`)
    return encodeURIComponent(id)
  })
  return {
    path,
    body: entry.body === null ? undefined : rest.shift(),
    query: /** @type {Query} */ ((entry.query ? rest.shift() : undefined) ?? {}),
    options: /** @type {RequestOptions} */ (rest.shift() ?? {})
  }
}

/**
 * @param {URL} url
 * @param {Query} query
 */
const addQuery = (url, query) => {
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) url.searchParams.append(name, textOf(name, one))
    }
  }
}

/**
 * The caller's own, which no attempt would make any better.
 *
 * @param {RequestOptions} options
 */
const checkRequestOptions = ({ headers = {}, idempotencyKey }) => {
  if (idempotencyKey !== undefined && !/^[!-~]{1,255}$/.test(idempotencyKey)) {
    throw new TypeError("idempotencyKey must be 1 to 255 printable ASCII characters without spaces")
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#-'*+.^-z|~0-9A-Z-]+$/.test(name)) throw new TypeError(`"${name}" is no name of a header`)
    if (!/^[\t -~]*$/.test(value)) throw new TypeError(`The header ${name} must be printable ASCII characters`)
  }
}

/**
 * What cannot work is told where it is written, not by the first call.
 *
 * @param {{ readonly apiKey: string, readonly baseUrl: unknown }} options
 */
const checkOptions = ({ apiKey, baseUrl }) => {
  // What no header can hold.
  if (!/^[!-~]+$/.test(apiKey)) throw new TypeError("apiKey must be a key as it was shown: sk_… or pk_…")
  const url = URL.canParse(String(baseUrl)) ? new URL(String(baseUrl)) : null
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  if (!isUsable) {
    throw new TypeError("baseUrl must be the address of the service, such as https://push.example.com")
  }
}

/**
 * The service, by resource and operation: the table that is made of the OpenAPI document says which there are.
 *
 * @param {Options} options
 * @returns {import("./types.js").Heliograph}
 */
export const createClient = (options) => {
  const { apiKey, baseUrl, deadlineMs = 90_000, fetch = globalThis.fetch, maxRetries = 4, timeoutMs = 30_000 } = options
  if (typeof apiKey !== "string" || apiKey === "") throw new TypeError("apiKey is required")
  checkOptions({ apiKey, baseUrl })
  const base = new URL(baseUrl)
  const authorization = `${apiKey.startsWith("pk_") ? "Public" : "ApiKey"} ${apiKey}`

  /**
   * @template A
   * @param {Entry} entry
   * @param {ReturnType<typeof readArguments>} given
   * @param {(response: Response) => Promise<A>} read
   * @returns {Promise<A>}
   */
  const call = async (entry, { body, options, path, query }, read) => {
    checkRequestOptions(options)
    const url = new URL(base.pathname.replace(/\/$/, "") + path, base)
    addQuery(url, query)
    return send(
      fetch,
      {
        method: entry.method,
        url,
        headers: {
          authorization,
          "user-agent": `heliograph-node/${version}`,
          accept: entry.answer === "lines" ? LINES : "application/json",
          ...(entry.body === null ? {} : { "content-type": entry.body === "lines" ? LINES : "application/json" }),
          ...(entry.takesKey ? { "idempotency-key": options.idempotencyKey ?? randomUUID() } : {}),
          ...options.headers
        },
        body: entry.body === "lines" || body === undefined ? body : encode(body),
        signal: options.signal,
        timeoutMs: options.timeoutMs ?? timeoutMs,
        deadlineMs: options.deadlineMs ?? deadlineMs,
        maxRetries: options.maxRetries ?? maxRetries
      },
      read
    )
  }

  /** @type {(entry: Entry, given: ReturnType<typeof readArguments>) => AsyncGenerator<any>} */
  const lines = async function* (entry, given) {
    // Only the beginning has to come in time: the lines take as long as they are many.
    yield* readLines(await call(entry, given, async (response) => response))
  }

  /**
   * Lines that are sent go in parts, each a call of its own that can be repeated; results are numbered on from part to part.
   *
   * @type {(entry: Entry, given: ReturnType<typeof readArguments>) => AsyncGenerator<any>}
   */
  const sentLines = async function* (entry, given) {
    let sent = 0
    for await (const { count, text } of partsOf(given.body)) {
      const results = await call(entry, { ...given, body: text }, async (response) => {
        // Array.fromAsync, which Node 20 does not have.
        const lines = []
        for await (const line of readLines(response)) {
          if (!Number.isInteger(line.line)) {
            throw new HeliographConnectionError("The answer is not the service's: a result has no line")
          }
          lines.push(line)
        }
        return lines
      })
      for (const result of results) yield { ...result, line: result.line + sent }
      sent += count
    }
  }

  /** @type {(entry: Entry, given: ReturnType<typeof readArguments>) => import("./types.js").Pages<any>} */
  const pages = (entry, given) => {
    /** @param {Query} query */
    const load = (query) =>
      call(entry, { ...given, query }, async (response) => {
        const page = objectOf(await response.json())
        const isPage = Array.isArray(page.data) && (page.next_cursor === null || typeof page.next_cursor === "string")
        if (isPage) return page
        throw new HeliographConnectionError("The answer is not the service's: it is no page of a list")
      })
    const all = async function* () {
      for (let query = given.query; ;) {
        const page = await load(query)
        yield page
        if (page.next_cursor === null) return
        query = { ...query, cursor: page.next_cursor }
      }
    }
    return {
      // oxlint-disable-next-line unicorn/no-thenable
      then: (resolve, reject) => load(given.query).then(resolve, reject),
      pages: all,
      async *[Symbol.asyncIterator]() {
        for await (const page of all()) yield* page.data
      }
    }
  }

  /** @param {Entry} entry */
  const method =
    (entry) =>
    /** @param {ReadonlyArray<unknown>} given */
    (...given) => {
      const read = readArguments(entry, given)
      if (entry.body === "lines") return sentLines(entry, read)
      if (entry.answer === "lines") return lines(entry, read)
      if (entry.answer === "page") return pages(entry, read)
      return call(entry, read, async (response) => objectOf(await response.json()))
    }

  const client = Object.entries(operations).map(([resource, entries]) => {
    const methods = Object.entries(entries).map(([name, entry]) => [name, method(entry)])
    return [resource, Object.freeze(Object.fromEntries(methods))]
  })
  return Object.freeze(Object.fromEntries(client))
}
