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
  unauthorized: " Compare `key`, `appId` and `api` with the application's settings.",
  identity_unverified:
    " `identityHash(userId)` must return the hex HMAC-SHA256 of the user id, made on your server with the identity secret.",
  validation_error: " Mend the fields that are named.",
  rate_limited: " Wait for `retryAfter` seconds."
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

const away = (api: string, cause: unknown): HeliographError =>
  new HeliographError(
    "unavailable",
    `${api} cannot be reached: check \`api\`, the network and the page's Content-Security-Policy (connect-src).`,
    { cause }
  )

/** The answer of a request, whatever its status. Only a service that cannot be reached is an error. */
export const ask = async ({ api, key }: Service, path: string, request: Request = {}): Promise<Response> => {
  const { body, headers, identityHash, keepalive, method, signal, timeoutMs = TIMEOUT_MS } = request
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  signal?.addEventListener("abort", () => abort.abort())
  try {
    return await fetch(`${api}/api/v1${path}`, {
      method: method as string,
      keepalive: keepalive as boolean,
      headers: {
        authorization: `Public ${key}`,
        "content-type": "application/json",
        ...(identityHash ? { "x-identity-hash": identityHash } : {}),
        ...headers
      },
      // Nothing is undefined here too.
      body: JSON.stringify(body) as string | null,
      credentials: "omit",
      cache: "no-store",
      signal: abort.signal
    })
  } catch (cause) {
    throw away(api, cause)
  } finally {
    // A body has the rest of the time, unless it is one that goes on.
    if (signal !== undefined) clearTimeout(timer)
  }
}

/** The error that a refusal stands for. */
export const refusalOf = async (response: Response): Promise<HeliographError> => {
  // Without one, something between here and the service has answered.
  const error: {
    readonly code?: string
    readonly message?: string
    readonly request_id?: string
    readonly details?: []
  } = (await response.json().catch(() => null))?.error ?? {}
  const code = error.code ?? (response.status === 429 ? "rate_limited" : "unavailable")
  const words = error.message ?? `The service answered with status ${response.status}.`
  return new HeliographError(code, words + (ADVICE[code] ?? ""), {
    status: response.status,
    requestId: error.request_id,
    retryAfter: parseFloat(response.headers.get("retry-after")!) || undefined,
    fields: error.details ?? []
  })
}

export const call = async <A>(service: Service, path: string, request?: Request): Promise<A> => {
  const response = await ask(service, path, request)
  if (!response.ok) throw await refusalOf(response)
  try {
    return (await response.json()) as A
  } catch (cause) {
    // Cut off, or not the service's: networks that want a sign-in answer in its place.
    throw away(service.api, cause)
  }
}

/** Reports run as long as browsers let a worker live beside what it shows. */
const REPORT_MS = 3000
/** Browsers end subscriptions of workers that take longer than about ten seconds over a push. */
const FLUSH_MS = 8000

/** Whether the service has spoken its last word on it: what it could not take now is asked again. */
const send = (service: Service, pending: Pending, timeoutMs: number): Promise<boolean> =>
  ask(service, pending.path, { method: pending.method, body: pending.body, timeoutMs, keepalive: true }).then(
    ({ status }) => status < 500 && ![401, 408, 429].includes(status),
    () => false
  )

/** Sends what waits, oldest first, until one cannot be sent. Two that run at once send twice, which counts once. */
export const flush = async (service: Service): Promise<void> => {
  const end = Date.now() + FLUSH_MS
  for (const [name, pending] of await readPending(service.key)) {
    const timeoutMs = Math.min(REPORT_MS, end - Date.now())
    if (timeoutMs <= 0 || !(await send(service, pending, timeoutMs))) return
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
