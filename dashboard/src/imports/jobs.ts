import { useQuery } from "@tanstack/react-query"
import type { Kind } from "./columns.ts"
import { run } from "./runner.ts"
import type { ExportJob, Job } from "./store.ts"
import { addJob, jobsOf } from "./store.ts"

/* Imports and exports, for the pages that show and begin them. */

export const FORMATS = [
  ["csv", "CSV, for spreadsheets"],
  ["ndjson", "JSON lines, for programs"]
] as const satisfies ReadonlyArray<readonly [ExportJob["format"], string]>

export const ABOUT_CSV =
  "In CSV, a text that a spreadsheet would take for a formula has a quotation mark in front; an import takes it off again."

/** Those of this browser, newest first, as they go on. */
export const useJobs = (accountId: string) =>
  useQuery<ReadonlyArray<Job>>({
    queryKey: ["imports and exports", accountId],
    queryFn: () => jobsOf(accountId),
    networkMode: "always",
    refetchInterval: ({ state }) => (state.data?.some((job) => job.state === "running") ? 500 : 3_000)
  })

/** A segment's name as a part of a file's. */
const partOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "") || "segment"

interface Wanted {
  readonly accountId: string
  readonly appId: string
  readonly kind: Kind
  readonly format: ExportJob["format"]
  /** Left out: everybody. */
  readonly segment?: NonNullable<ExportJob["segment"]>
}

/** Begins an export of everybody, or of whom a segment holds. */
export const startExport = async ({ accountId, appId, format, kind, segment }: Wanted): Promise<void> => {
  const startedAt = new Date().toISOString()
  const what = segment === undefined ? kind : `${kind}-of-${partOf(segment.name)}`
  await addJob<ExportJob>({
    type: "export",
    accountId,
    appId,
    kind,
    format,
    name: `${what}-${startedAt.slice(0, 10)}.${format}`,
    state: "running",
    startedAt,
    endedAt: null,
    error: null,
    waiting: null,
    cursor: null,
    rows: 0,
    ...(segment && { segment })
  })
  run(accountId)
}
