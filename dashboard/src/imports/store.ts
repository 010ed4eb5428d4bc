import type { Kind } from "./columns.ts"
import { IMPORTS } from "./kept.ts"
import type { Place, Shape } from "./rows.ts"

/*
 * Imports and exports of this browser, in its own database: the file, how far it is, and what was refused. A reload, or a
 * browser that was closed, goes on where it stopped.
 */

/** `failed`: it does not go on by itself; `error` says why. */
export type State = "running" | "paused" | "done" | "failed"

interface Common {
  readonly id: number
  readonly accountId: string
  readonly appId: string
  readonly kind: Kind
  readonly name: string
  readonly state: State
  readonly startedAt: string
  readonly endedAt: string | null
  readonly error: string | null
  /** Waits to ask again: what for. */
  readonly waiting: string | null
}

export interface ImportJob extends Common, Place {
  readonly type: "import"
  /** Of its entry in the audit log; null before the service was asked. */
  readonly importId: string | null
  /** Null when it is done. */
  readonly file: Blob | null
  readonly size: number
  readonly shape: Shape
  readonly targets: ReadonlyArray<string>
  readonly created: number
  readonly changed: number
  readonly refused: number
}

export interface ExportJob extends Common {
  readonly type: "export"
  readonly format: "csv" | "ndjson"
  readonly cursor: string | null
  readonly rows: number
  /** Whom it holds; left out: everybody. */
  readonly segment?: { readonly id: string; readonly name: string }
}

export type Job = ImportJob | ExportJob
type Draft<One> = One extends Job ? Omit<One, "id"> : never

/** A line that was refused; or a part of an exported file. */
interface Piece {
  readonly jobId: number
  readonly text: string
}

const opened = <A>(request: IDBRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result))
    request.addEventListener("error", () => reject(request.error!))
  })

let database: Promise<IDBDatabase> | null = null
const open = (): Promise<IDBDatabase> => {
  const request = indexedDB.open(IMPORTS, 1)
  request.addEventListener("upgradeneeded", () => {
    request.result.createObjectStore("jobs", { keyPath: "id", autoIncrement: true })
    request.result.createObjectStore("pieces", { autoIncrement: true }).createIndex("job", "jobId")
  })
  return opened(request).then((found) => {
    // At the end of the session it is removed: nothing may hold it open.
    found.addEventListener("versionchange", () => {
      found.close()
      database = null
    })
    return found
  })
}

const within = async <A>(
  mode: IDBTransactionMode,
  use: (jobs: IDBObjectStore, pieces: IDBObjectStore) => IDBRequest<A>
) => {
  const found = await (database ??= open().catch((error: unknown) => {
    database = null
    throw error
  }))
  const transaction = found.transaction(["jobs", "pieces"], mode)
  const done = new Promise<void>((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve())
    transaction.addEventListener("abort", () => reject(transaction.error!))
  })
  const request = use(transaction.objectStore("jobs"), transaction.objectStore("pieces"))
  await done
  return request.result
}

export const addJob = async <One extends Job>(job: Draft<One>): Promise<number> =>
  Number(await within("readwrite", (jobs) => jobs.add(job)))

/** Newest first. */
export const jobsOf = async (accountId: string): Promise<ReadonlyArray<Job>> =>
  ((await within("readonly", (jobs) => jobs.getAll())) as ReadonlyArray<Job>)
    .filter((job) => job.accountId === accountId)
    .toReversed()

export const jobOf = async (id: number): Promise<Job | null> =>
  ((await within("readonly", (jobs) => jobs.get(id))) as Job | undefined) ?? null

/** Changes a job, and adds pieces, at once. One that was removed meanwhile stays so: null. */
export const changeJob = async (
  id: number,
  change: (job: Job) => Partial<ImportJob> | Partial<ExportJob>,
  pieces: ReadonlyArray<string> = []
): Promise<Job | null> => {
  let after: Job | null = null
  await within("readwrite", (jobs, stored) => {
    const read = jobs.get(id) as IDBRequest<Job | undefined>
    read.addEventListener("success", () => {
      if (read.result === undefined) return
      after = { ...read.result, ...change(read.result) } as Job
      jobs.put(after)
      for (const text of pieces) stored.add({ jobId: id, text } satisfies Piece)
    })
    return read
  })
  return after
}

export const piecesOf = async (jobId: number): Promise<ReadonlyArray<string>> =>
  ((await within("readonly", (_, pieces) => pieces.index("job").getAll(jobId))) as ReadonlyArray<Piece>).map(
    ({ text }) => text
  )

export const removeJob = (id: number): Promise<unknown> =>
  within("readwrite", (jobs, pieces) => {
    const keys = pieces.index("job").getAllKeys(id)
    keys.addEventListener("success", () => keys.result.forEach((key) => pieces.delete(key)))
    return jobs.delete(id)
  })
