/**
 * What page and worker know in common, in IndexedDB: the state of this browser's device, and reports that the service
 * has not taken yet. No key, no identity hash and no message is ever kept here.
 */

/** The device of this browser, by public key. */
export interface DeviceState {
  /** A random number that says nothing of anybody: it comes and outlives subscriptions, and ends with sign-out. */
  readonly browserId: string
  /** By which the state is found when the application has a new public key. Absent before the first registration. */
  readonly appId?: string
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
  readonly userId: string | undefined
  readonly tags: ReadonlyArray<string> | undefined
  readonly timezone: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
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
const use = async <A>(name: string, work: (store: IDBObjectStore) => IDBRequest<A> | Promise<A>): Promise<A> => {
  const database = await open()
  try {
    const working = work(database.transaction(name, "readwrite").objectStore(name))
    return await (working instanceof Promise ? working : done(working))
  } finally {
    database.close()
  }
}

/** All records of a store, oldest first, with the names to remove them by. */
const records = <A>(name: string): Promise<ReadonlyArray<readonly [IDBValidKey, A]>> =>
  use(name, async (store) => {
    const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())])
    return keys.map((key, i) => [key, values[i]])
  })

/** Nothing is written before somebody subscribes: a visitor who does not has no number. */
export const readState = async (key: string): Promise<DeviceState> =>
  (await use<DeviceState | undefined>(STATES, (store) => store.get(key))) ?? {
    browserId: crypto.randomUUID(),
    device: null,
    paused: null
  }

/** The state of an application, which goes on under its present key when there was another one. */
export const readStateOf = async (key: string, appId: string): Promise<DeviceState> => {
  for (const [name, state] of await records<DeviceState>(STATES)) {
    if (state.appId !== appId || name === key) continue
    await writeState(key, state)
    await removeState(name as string)
    for (const [id, pending] of await records<Kept>(OUTBOX)) {
      if (pending.key === name) await use(OUTBOX, (store) => store.put({ ...pending, key }, id))
    }
  }
  return readState(key)
}

export const writeState = (key: string, state: DeviceState): Promise<unknown> =>
  use(STATES, (store) => store.put(state, key))

export const removeState = (key: string): Promise<undefined> => use(STATES, (store) => store.delete(key))

type Kept = Pending & { readonly key: string }

/** Reports beyond this many, and older than a week, are given up; the removal of a device never is. */
const MOST = 200
const OLDEST_MS = 604_800_000

export const keepPending = async (key: string, pending: ReadonlyArray<Pending>): Promise<void> => {
  for (const one of pending) await use(OUTBOX, (store) => store.add({ ...one, key }))
}

/** The requests that wait for this key, oldest first, with the names to remove them by. */
export const readPending = async (key: string): Promise<ReadonlyArray<readonly [IDBValidKey, Pending]>> => {
  const mine = (await records<Kept>(OUTBOX)).filter(([, pending]) => pending.key === key)
  const oldest = Date.now() - OLDEST_MS
  const kept = mine.filter(([, { at, method }], i) => method === "DELETE" || (at > oldest && i >= mine.length - MOST))
  for (const one of mine) if (!kept.includes(one)) await removePending(one[0])
  return kept
}

export const removePending = (name: IDBValidKey): Promise<undefined> => use(OUTBOX, (store) => store.delete(name))
