import { ask, Refusal } from "../api/request.ts"
import { bytesOf, inputOf } from "./columns.ts"
import { fileNameOf } from "./fileName.ts"
import { setUnderWay } from "./kept.ts"
import type { ContactInput, RegisterDeviceInput } from "./operations.ts"
import { beginImport, exportContacts, exportDevices, importContacts, importDevices } from "./operations.ts"
import type { Row } from "./rows.ts"
import { csvLine, readRows, Unreadable } from "./rows.ts"
import type { ExportJob, ImportJob, Job } from "./store.ts"
import { changeJob, jobOf, jobsOf } from "./store.ts"

/*
 * Does what the store says is to be done, one job after the other, as long as a page of the dashboard is open. Of several
 * tabs one does it; when that is closed, another takes over. Each request writes some hundreds of rows, and how far it is
 * is kept after each: what is asked for again after a reload is idempotent.
 */

/** Rows and bytes of a request: far less than GraphQL takes, so that each is soon done. */
const ROWS = { contacts: 500, devices: 100 } as const
const BYTES = 48_000

/** Codes after which it is asked again, and what is said meanwhile. */
const WAITS: Readonly<Record<string, string>> = {
  unreachable: "No connection; it goes on by itself.",
  unanswered: "No connection; it goes on by itself.",
  unavailable: "The service cannot do this at the moment; it goes on by itself.",
  rate_limiter_unavailable: "The service cannot do this at the moment; it goes on by itself.",
  not_understood: "Something between this browser and the service answered instead; it goes on by itself.",
  rate_limited: "Your budget of requests is used up; it goes on in a moment.",
  unauthorized: "Your session has ended; it goes on when you have signed in again."
}
const PAUSE_S = 3

const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))

/** Asks until there is an answer; null when the job is not to go on. */
const askOn = async <A>(job: Job, request: () => Promise<A>): Promise<A | null> => {
  for (;;) {
    try {
      const answer = await request()
      return answer
    } catch (error) {
      const waiting = error instanceof Refusal ? WAITS[error.code] : undefined
      if (waiting === undefined) throw error
      const now = await changeJob(job.id, () => ({ waiting }))
      if (now?.state !== "running") return null
      await sleep((error as Refusal).retryAfter ?? PAUSE_S)
      if ((await jobOf(job.id))?.state !== "running") return null
    }
  }
}

interface Result {
  readonly index: number
  readonly created: boolean | null
  readonly error: {
    readonly message: string
    readonly details: ReadonlyArray<{ field: string; message: string }>
  } | null
}

const write = (
  job: ImportJob,
  inputs: ReadonlyArray<ContactInput | RegisterDeviceInput>
): Promise<ReadonlyArray<Result>> =>
  job.kind === "contacts"
    ? ask(importContacts, {
        appId: job.appId,
        importId: job.importId!,
        contacts: inputs as ReadonlyArray<ContactInput>
      }).then(({ importContacts }) => importContacts)
    : ask(importDevices, {
        appId: job.appId,
        importId: job.importId!,
        devices: inputs as ReadonlyArray<RegisterDeviceInput>
      }).then(({ registerDevices }) => registerDevices)

/** Columns of the file of what was refused: the line, why, and the row as it was. */
export const faultHead = ({ shape }: ImportJob): string => csvLine(["line", "why", ...shape.columns])

/** Writes the rows of one request. Answers the job after it; null when it is not to go on. */
const writeSome = async (job: ImportJob, rows: ReadonlyArray<Row>): Promise<Job | null> => {
  const read = rows.map((row) => ({
    row,
    ...(row.fault === null
      ? inputOf(job.kind, job.shape.columns, job.targets, row.values)
      : { input: null, fault: row.fault })
  }))
  const good = read.filter(({ input }) => input !== null)
  const results =
    good.length === 0
      ? []
      : await askOn(job, () =>
          write(
            job,
            good.map(({ input }) => input!)
          )
        )
  if (results === null) return null
  const faults = read.flatMap(({ fault, row }) => (fault === null ? [] : [{ row, why: fault }]))
  let created = 0
  for (const { created: isNew, error, index } of results) {
    if (error === null) created += isNew ? 1 : 0
    else {
      const details = error.details.map(({ field, message }) => `${field} ${message}`).join("; ")
      faults.push({ row: good[index]!.row, why: details || error.message })
    }
  }
  const last = rows.at(-1)!
  return changeJob(
    job.id,
    (now) => ({
      position: last.end,
      line: last.nextLine,
      created: (now as ImportJob).created + created,
      changed: (now as ImportJob).changed + rows.length - faults.length - created,
      refused: (now as ImportJob).refused + faults.length,
      waiting: null
    }),
    faults.toSorted((a, b) => a.row.line - b.row.line).map(({ row, why }) => csvLine([row.line, why, ...row.values]))
  )
}

/** Rows in parts that fit into a request. */
const partsOf = (job: ImportJob, rows: ReadonlyArray<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const parts: Array<Array<Row>> = []
  // Names of fields, or of attributes, and what stands between them.
  const names = bytesOf(job.shape.columns) + 16 * job.shape.columns.length
  let bytes = 0
  for (const row of rows) {
    const length = bytesOf(row.values) + names
    const part = parts.at(-1)
    if (part === undefined || part.length === ROWS[job.kind] || bytes + length > BYTES) {
      parts.push([row])
      bytes = length
    } else {
      part.push(row)
      bytes += length
    }
  }
  return parts
}

/** Has the service write the one entry that the import has in the audit log. */
const begun = async (job: ImportJob): Promise<Job | null> => {
  const kind = job.kind === "contacts" ? "CONTACTS" : "DEVICES"
  const file = fileNameOf(job.name)
  const answer = await askOn(job, () => ask(beginImport, { appId: job.appId, kind, file }))
  return answer === null ? null : changeJob(job.id, () => ({ importId: answer.beginImport }))
}

const doImport = async (first: ImportJob): Promise<void> => {
  const ready = first.importId === null ? await begun(first) : first
  if (ready?.type !== "import" || ready.state !== "running") return
  let job: ImportJob = ready
  for (;;) {
    const rows = await readRows(job.file!, job, job.shape)
    if (rows.length === 0) break
    for (const part of partsOf(job, rows)) {
      const after = await writeSome(job, part)
      if (after?.type !== "import" || after.state !== "running") return
      job = after
    }
  }
  // The file is not kept any longer than it is needed.
  await changeJob(job.id, () => ({ state: "done", file: null, endedAt: new Date().toISOString(), waiting: null }))
}

const ATTRIBUTES = { contacts: "attributes", devices: "metadata" } as const
const COLUMNS = {
  contacts: ["external_id", "email", "locale", "timezone", "tags", "attributes", "created_at"],
  devices: [
    "token",
    "platform",
    "user_id",
    "tags",
    "timezone",
    "environment",
    "metadata",
    "web_push_p256dh",
    "web_push_auth",
    "status",
    "invalid_reason",
    "created_at",
    "last_seen_at"
  ]
} as const

const LOWER: ReadonlySet<string> = new Set(["platform", "environment", "status"])
const snakeCase = (name: string): string =>
  name === "webPushP256dh" ? "web_push_p256dh" : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A row as the REST API, and an import, have it. */
const exported = (node: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      snakeCase(name),
      LOWER.has(name) && typeof value === "string" ? value.toLowerCase() : (value as unknown)
    ])
  )

/** Divided by commas, as an import reads them; as JSON where that would divide one of them. */
const tagsCell = (tags: ReadonlyArray<string>): string =>
  tags.some((tag) => /[,;|]|^\[/.test(tag)) ? JSON.stringify(tags) : tags.join(",")

const lineOf = (job: ExportJob, node: object): string => {
  const row = exported(node)
  if (job.format === "ndjson") return `${JSON.stringify(row)}\n`
  return csvLine(
    COLUMNS[job.kind].map((name) => {
      if (name === "tags") return tagsCell(row[name] as ReadonlyArray<string>)
      return name === ATTRIBUTES[job.kind] ? JSON.stringify(row[name]) : row[name]
    })
  )
}

const pageOf = (
  job: ExportJob
): Promise<{
  readonly nodes: ReadonlyArray<object>
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean }
}> => {
  const wanted = { appId: job.appId, segmentId: job.segment?.id ?? null, after: job.cursor }
  return job.kind === "contacts"
    ? ask(exportContacts, wanted).then(({ contacts }) => contacts)
    : ask(exportDevices, wanted).then(({ devices }) => devices)
}

const doExport = async (first: ExportJob): Promise<void> => {
  let job: ExportJob = first
  for (;;) {
    const page = await askOn(job, () => pageOf(job))
    if (page === null) return
    const { endCursor, hasNextPage } = page.pageInfo
    const head = job.cursor === null && job.format === "csv" ? csvLine(COLUMNS[job.kind]) : ""
    const text = head + page.nodes.map((node) => lineOf(job, node)).join("")
    const after = await changeJob(
      job.id,
      (now) => ({
        rows: (now as ExportJob).rows + page.nodes.length,
        cursor: endCursor,
        waiting: null,
        ...(!hasNextPage && { state: "done" as const, endedAt: new Date().toISOString() })
      }),
      [text]
    )
    if (after?.type !== "export" || after.state !== "running") return
    job = after
  }
}

const doOne = async (job: Job): Promise<void> => {
  try {
    await (job.type === "import" ? doImport(job) : doExport(job))
  } catch (error) {
    const words =
      error instanceof Refusal || error instanceof Unreadable
        ? error.message
        : `This page did something wrong. ${String(error)}`
    await changeJob(job.id, () => ({ state: "failed", error: words, waiting: null }))
  }
}

/** Does all that is to be done, oldest first. */
const doAll = async (accountId: string): Promise<void> => {
  for (;;) {
    const job = (await jobsOf(accountId)).findLast(({ state }) => state === "running")
    if (job === undefined) return
    await doOne(job)
  }
}

let isGoing = false
/** Something was added since the store was last looked at. */
let isWanted = false

/** Begins, or goes on, with what is to be done for an account. */
export const run = (accountId: string): void => {
  setUnderWay(true)
  isWanted = true
  if (isGoing) return
  isGoing = true
  const work = async () => {
    while (isWanted) {
      isWanted = false
      await doAll(accountId)
    }
    setUnderWay(false)
    isGoing = false
  }
  // Only origins of https, and this very machine, have locks.
  void (navigator.locks === undefined ? work() : navigator.locks.request("heliograph imports", work))
}
