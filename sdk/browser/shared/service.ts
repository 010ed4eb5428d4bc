import type { Pending } from "./database.ts"
import { keepPending, readPending, removePending } from "./database.ts"
import { HeliographError } from "./errors.ts"

/** Where the service is, and as which application it is asked. */
export interface Service {
  /** `https://push.example.com`, without a slash at the end. */
  readonly api: string
  /** `pk_…` */
  readonly key: string
}

/** What to do about an answer, in words for the developer who reads the console. */
const ADVICE: Readonly<Record<string, string>> = {
  unauthorized: "Compare `key`, `appId` and `api` with the application's settings.",
  identity_unverified:
    "Return from `identityHash(userId)` the hexadecimal HMAC-SHA256 of the user id, which your server makes with the identity secret.",
  validation_error: "Mend the fields that are named.",
  rate_limited: "Wait for `retryAfter` seconds."
}

const TIMEOUT_MS = 15_000

export interface Request {
  readonly method?: string
  readonly body?: unknown
  readonly identityHash?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Lets the request outlive its page. */
  readonly keepalive?: boolean
  readonly timeoutMs?: number
}

/** The answer of a request, whatever its status. Only a service that cannot be reached is an error. */
export const ask = async ({ api, key }: Service, path: string, request: Request = {}): Promise<Response> => {
  const { body, headers, identityHash, keepalive = false, method = "GET", signal, timeoutMs = TIMEOUT_MS } = request
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  signal?.addEventListener("abort", () => abort.abort())
  try {
    return await fetch(`${api}/api/v1${path}`, {
      method,
      keepalive,
      headers: {
        authorization: `Public ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(identityHash ? { "x-identity-hash": identityHash } : {}),
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: "omit",
      mode: "cors",
      cache: "no-store",
      signal: abort.signal
    })
  } catch (cause) {
    throw new HeliographError(
      "unavailable",
      `${api} cannot be reached: check \`api\`, the network and the page's Content-Security-Policy (connect-src).`,
      { cause }
    )
  } finally {
    clearTimeout(timer)
  }
}

/** The error that a refusal stands for. */
export const refusalOf = async (response: Response): Promise<HeliographError> => {
  const text = await response.text().catch(() => "")
  let error: { code?: string; message?: string; request_id?: string; details?: [] } = {}
  try {
    error = JSON.parse(text).error ?? {}
  } catch {
    // Something between here and the service has answered.
  }
  const code = error.code ?? (response.status === 429 ? "rate_limited" : "unavailable")
  const words = error.message ?? `The service answered with status ${response.status}.`
  const retryAfter = Number(response.headers.get("retry-after") ?? NaN)
  return new HeliographError(code, ADVICE[code] === undefined ? words : `${words} ${ADVICE[code]}`, {
    status: response.status,
    ...(error.request_id === undefined ? {} : { requestId: error.request_id }),
    ...(Number.isFinite(retryAfter) ? { retryAfter } : {}),
    fields: error.details ?? []
  })
}

export const call = async <A>(service: Service, path: string, request?: Request): Promise<A> => {
  const response = await ask(service, path, request)
  if (!response.ok) throw await refusalOf(response)
  return (await response.json()) as A
}

/** Reports run as long as browsers let a worker live beside what it shows. */
const REPORT_MS = 3000
/** Browsers end subscriptions of workers that take longer than about ten seconds over a push. */
const FLUSH_MS = 8000

/** Whether the service has spoken its last word on it: what it could not take now is asked again. */
const isSettled = (status: number): boolean => status < 500 && status !== 429 && status !== 408 && status !== 401

/** Sends what waits, oldest first, until one cannot be sent. Two that run at once send twice, which counts once. */
export const flush = async (service: Service): Promise<void> => {
  const end = Date.now() + FLUSH_MS
  for (const [name, { body, method, path }] of await readPending(service.key)) {
    try {
      const timeoutMs = Math.min(REPORT_MS, end - Date.now())
      if (timeoutMs <= 0) return
      const request = { method, body, timeoutMs, keepalive: true }
      const { status } = await ask(service, path, request)
      if (!isSettled(status)) return
    } catch {
      return
    }
    await removePending(name)
  }
}

/** Kept first: a worker that is ended in the middle of a request tries again the next time that it runs. */
export const deliver = async (service: Service, pending: ReadonlyArray<Omit<Pending, "at">>): Promise<void> => {
  const at = Date.now()
  await keepPending(
    service.key,
    pending.map((one) => ({ ...one, at }))
  )
  await flush(service)
}
