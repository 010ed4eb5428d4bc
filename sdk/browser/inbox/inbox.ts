import type { HeliographError } from "../shared/errors.ts"
import { asError } from "../shared/errors.ts"
import { emitter } from "../shared/events.ts"
import type { Request, Service } from "../shared/service.ts"
import { ask, call, refusalOf } from "../shared/service.ts"
import { readEvents } from "./events.ts"

export interface InboxMessage {
  readonly id: string
  readonly title: string | null
  readonly body: string | null
  readonly url: string | null
  readonly data: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  readonly created_at: string
  /** Null: unread. */
  readonly read_at: string | null
}

export interface InboxPage {
  /** Newest first. */
  readonly messages: ReadonlyArray<InboxMessage>
  /** Where the next page begins; null at the end. */
  readonly nextCursor: string | null
}

/** What changed: `message` came, others were `read` (null: all of them), or everything is to be read anew. */
export interface InboxChange {
  readonly unreadCount: number
  readonly message?: InboxMessage | undefined
  readonly read?: string | null
  readonly reset?: true
}

interface Events {
  readonly change: InboxChange
  readonly error: HeliographError
}

export interface Inbox {
  readonly userId: string
  readonly list: (options?: { readonly cursor?: string | null; readonly limit?: number }) => Promise<InboxPage>
  readonly unreadCount: () => Promise<number>
  readonly read: (id: string) => Promise<InboxMessage>
  readonly readAll: () => Promise<number>
  /** Calls back until the function that it answers is called. While somebody listens to `change`, updates come live. */
  readonly on: <Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void) => () => void
  /** Stops listening; the inbox can still be asked. */
  readonly close: () => void
}

/** A service, and what proves to it who somebody is. */
export interface InboxService extends Service {
  readonly identityHash: (userId: string) => Promise<string | null>
}

const MOST_WAIT_MS = 60_000
/** The service says something every 15 seconds: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000

/** Waits, unless it is told to stop or the network comes back before. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener("online", end)
      signal.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener("online", end)
    signal.addEventListener("abort", end)
  })

/**
 * The inbox of a person. One tab of the browser holds the live stream, and tells the others: the service takes few
 * streams of one person. The count is always the service's own, never counted here.
 */
export const openInbox = (service: InboxService, userId: string): Inbox => {
  const { emit, isHeard, on } = emitter<Events>()
  const name = `heliograph-inbox ${service.key} ${userId}`
  const query = `user_id=${encodeURIComponent(userId)}`
  let hash: Promise<string | null> | null = null
  let following: AbortController | null = null
  let channel: BroadcastChannel | null = null

  /** Here and in the other tabs. */
  const publish = (change: InboxChange): void => {
    channel?.postMessage(change)
    emit("change", change)
    navigator.setAppBadge?.(change.unreadCount).catch(() => undefined)
  }

  /** The hash is asked for once, and once more when the service does not take it. */
  const asked = async <A>(work: (identityHash: string | null) => Promise<A>, isFresh = hash === null): Promise<A> => {
    try {
      return await work(await (hash ??= service.identityHash(userId)))
    } catch (error) {
      // Neither a failure of the page's callback nor a hash that is not good is kept.
      hash = null
      if (isFresh || (error as HeliographError).code !== "identity_unverified") throw error
      return asked(work, true)
    }
  }

  const get = <A>(path: string, request?: Request): Promise<A> =>
    asked((identityHash) => call<A>(service, `/public/inbox${path}`, { ...request, identityHash }))

  const unreadCount = async (): Promise<number> =>
    (await get<{ readonly unread_count: number }>(`/unread_count?${query}`)).unread_count

  /** Reads the stream until it ends. Answers the last position. */
  const readStream = async (signal: AbortSignal, last: string | null, opened: () => void): Promise<string | null> => {
    const response = await asked(async (identityHash) => {
      const headers = last === null ? {} : { "last-event-id": last }
      const answer = await ask(service, `/public/inbox/stream?${query}`, { identityHash, headers, signal })
      if (!answer.ok) throw await refusalOf(answer)
      return answer
    })
    opened()
    let position = last
    // The count comes behind the messages that it counts.
    let messages: Array<InboxMessage> = []
    for await (const { data, event, id } of readEvents(response.body!, SILENCE_MS)) {
      position = id ?? position
      if (event === "message") {
        messages.push(JSON.parse(data) as InboxMessage)
      } else if (event === "reset") {
        publish({ unreadCount: await unreadCount(), reset: true })
      } else if (event === "unread_count") {
        const { unread_count: unreadCount } = JSON.parse(data) as { readonly unread_count: number }
        for (const message of messages.length === 0 ? [undefined] : messages) publish({ unreadCount, message })
        messages = []
      }
    }
    return position
  }

  const follow = async (signal: AbortSignal): Promise<void> => {
    let last: string | null = null
    let failures = 0
    while (!signal.aborted) {
      try {
        last = await readStream(signal, last, () => (failures = 0))
      } catch (error) {
        if (signal.aborted) return
        const failure = asError(error)
        const isRefused = failure.code !== "unavailable"
        if (isRefused || failures === 0) emit("error", failure)
        // Asking again does not help: the key or the identity is not good.
        if (isRefused && [400, 401, 403].includes(failure.status!)) return
        failures++
        const wait = Math.min(MOST_WAIT_MS, 1000 * 2 ** failures)
        await pause(Math.max((failure.retryAfter ?? 0) * 1000, wait), signal)
        continue
      }
      await pause(500 + Math.random() * 1500, signal)
    }
  }

  /** The tab that gets the lock follows; when it is closed, another one does. */
  const start = (): void => {
    if (following !== null) return
    const { signal } = (following = new AbortController())
    channel = new BroadcastChannel(name)
    channel.addEventListener("message", ({ data }) => emit("change", data as InboxChange))
    // Pages without HTTPS have no locks.
    const running = navigator.locks?.request(name, { signal }, () => follow(signal)) ?? follow(signal)
    running.catch(() => undefined)
  }

  const close = (): void => {
    following?.abort()
    channel?.close()
    following = channel = null
  }

  const wrote = async (read: string | null): Promise<void> => {
    if (channel === null) return
    publish({ unreadCount: await unreadCount(), read })
  }

  return {
    userId,
    unreadCount,
    list: async ({ cursor = null, limit = 20 } = {}) => {
      const after = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const page = await get<{ readonly data: ReadonlyArray<InboxMessage>; readonly next_cursor: string | null }>(
        `?${query}&limit=${limit}${after}`
      )
      return { messages: page.data, nextCursor: page.next_cursor }
    },
    read: async (id) => {
      const message = await get<InboxMessage>(`/${encodeURIComponent(id)}/read?${query}`, { method: "POST" })
      await wrote(id)
      return message
    },
    readAll: async () => {
      const { read } = await get<{ readonly read: number }>(`/read_all?${query}`, { method: "POST" })
      await wrote(null)
      return read
    },
    on: (name, listener) => {
      const stop = on(name, listener)
      if (name === "change") start()
      return () => {
        stop()
        if (!isHeard("change")) close()
      }
    },
    close
  }
}
