/**
 * What page and worker know in common, in IndexedDB: the state of this browser's device, and reports that the service
 * has not taken yet. No key, no identity hash and no message is ever kept here.
 */

/** The device of this browser, by public key. */
export interface DeviceState {
  /** A random number that says nothing of anybody: it outlives subscriptions, and ends with sign-out. */
  readonly browserId: string
  /** Null while the browser is not subscribed, or after sign-out. */
  readonly device: RegisteredDevice | null
  /** What is to be registered again as soon as the permission, which was taken back, is there again. */
  readonly paused: Pick<RegisteredDevice, "userId" | "tags" | "timezone" | "metadata"> | null
}

export interface RegisteredDevice {
  readonly id: string
  readonly token: string
  /** base64url, of the application server key that the browser subscribed with. */
  readonly vapidKey: string
  readonly userId: string | null
  readonly tags: ReadonlyArray<string> | null
  readonly timezone: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  /** Epoch milliseconds: when the service last heard of it, and when the key was last compared. */
  readonly registeredAt: number
  readonly checkedAt: number
}

/** A request that is to reach the service, however often it takes. */
export interface Pending {
  readonly method: "POST" | "DELETE"
  readonly path: string
  readonly body: unknown
  /** Epoch milliseconds. */
  readonly at: number
}

const NAME = "heliograph"
const STATES = "states"
const OUTBOX = "outbox"

const done = <A>(request: IDBRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result))
    request.addEventListener("error", () => reject(request.error))
  })

const open = (): Promise<IDBDatabase> => {
  const request = indexedDB.open(NAME, 1)
  request.addEventListener("upgradeneeded", () => {
    request.result.createObjectStore(STATES)
    request.result.createObjectStore(OUTBOX, { autoIncrement: true })
  })
  return done(request)
}

/** Opened for each use and closed again: a connection that stays open would block whoever deletes the site's data. */
const use = async <A>(store: string, work: (store: IDBObjectStore) => IDBRequest<A>): Promise<A> => {
  const database = await open()
  try {
    return await done(work(database.transaction(store, "readwrite").objectStore(store)))
  } finally {
    database.close()
  }
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

export const readState = async (key: string): Promise<DeviceState> => {
  const known = await use<DeviceState | undefined>(STATES, (store) => store.get(key))
  if (known !== undefined) return known
  const fresh: DeviceState = {
    browserId: hex(crypto.getRandomValues(new Uint8Array(16))),
    device: null,
    paused: null
  }
  await writeState(key, fresh)
  return fresh
}

export const writeState = async (key: string, state: DeviceState): Promise<void> => {
  await use(STATES, (store) => store.put(state, key))
}

export const removeState = (key: string): Promise<undefined> => use(STATES, (store) => store.delete(key))

/** Reports beyond this many, and older than a week, are given up. */
const MOST = 200
const OLDEST_MS = 604_800_000

export const keepPending = async (key: string, pending: ReadonlyArray<Pending>): Promise<void> => {
  for (const one of pending) await use(OUTBOX, (store) => store.add({ ...one, key }))
}

/** The requests that wait for this key, oldest first, with the names to remove them by. */
export const readPending = async (key: string): Promise<ReadonlyArray<readonly [IDBValidKey, Pending]>> => {
  const database = await open()
  try {
    const store = database.transaction(OUTBOX).objectStore(OUTBOX)
    const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())])
    const all = keys.map((name, i) => [name, values[i] as Pending & { key: string }] as const)
    const mine = all.filter(([, pending]) => pending.key === key)
    const kept = mine.slice(-MOST).filter(([, pending]) => pending.at > Date.now() - OLDEST_MS)
    const dropped = mine.filter((one) => !kept.includes(one))
    for (const [name] of dropped) await removePending(name)
    return kept
  } finally {
    database.close()
  }
}

export const removePending = (name: IDBValidKey): Promise<undefined> => use(OUTBOX, (store) => store.delete(name))
