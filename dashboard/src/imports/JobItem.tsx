import { useState } from "react"
import { PartsBar } from "../parts/charts.tsx"
import type { Tone } from "../parts/page.tsx"
import { Button } from "../parts/form.tsx"
import { Chip, Confirm, When } from "../parts/page.tsx"
import { count, counted, percent } from "../parts/time.ts"
import { faultHead, run } from "./runner.ts"
import type { ExportJob, ImportJob, Job, State } from "./store.ts"
import { changeJob, piecesOf, removeJob } from "./store.ts"

const STATE = {
  running: ["Under way", "busy"],
  paused: ["Paused", "waiting"],
  done: ["Done", "good"],
  failed: ["Stopped", "bad"]
} as const satisfies Readonly<Record<State, readonly [string, Tone]>>

const save = (name: string, parts: ReadonlyArray<string>, type: string): void => {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const titleOf = (job: Job): string => {
  if (job.type === "import") return `Import of ${job.name}`
  if (job.segment === undefined) return `Export of ${job.name}`
  return `Export of ${job.kind === "contacts" ? "people" : "devices"} in ${job.segment.name}`
}

const Imported = ({ job }: { readonly job: ImportJob }) => {
  const rows = job.created + job.changed + job.refused
  return (
    <>
      <PartsBar
        label={`${percent(job.position, job.size)} of the file read`}
        whole={job.size}
        parts={[{ name: "read", value: job.state === "done" ? job.size : job.position, colour: "good" }]}
      />
      <p role={job.state === "running" ? "status" : undefined}>
        {counted(rows, "row")}: {count(job.created)} new, {count(job.changed)} there before,{" "}
        {job.refused > 0 ? <span className="bad-text">{count(job.refused)} refused</span> : "none refused"}
        {job.state !== "done" && `. ${percent(job.position, job.size)} of the file.`}
      </p>
    </>
  )
}

const Exported = ({ job }: { readonly job: ExportJob }) => (
  <p role={job.state === "running" ? "status" : undefined}>
    {counted(job.rows, job.kind === "contacts" ? "contact" : "device")}
    {job.state === "done" ? "." : " so far."}
  </p>
)

const saveRefused = async (job: ImportJob): Promise<void> =>
  save(
    `refused-of-${job.name.replace(/\.\w+$/, "")}.csv`,
    ["\uFEFF", faultHead(job), ...(await piecesOf(job.id))],
    "text/csv"
  )

const saveExported = async (job: ExportJob): Promise<void> => {
  const pieces = await piecesOf(job.id)
  if (job.format === "csv") save(job.name, ["\uFEFF", ...pieces], "text/csv")
  else save(job.name, pieces, "application/x-ndjson")
}

/** One import or export: how far it is, and what can be done about it. */
export const JobItem = ({
  accountId,
  job,
  onChange
}: {
  readonly job: Job
  readonly accountId: string
  readonly onChange: () => void
}) => {
  const [isAsking, setAsking] = useState(false)
  const [words, tone] = STATE[job.state]
  const set = async (state: State) => {
    await changeJob(job.id, () => ({ state, error: null, waiting: null }))
    if (state === "running") run(accountId)
    onChange()
  }
  const forget = async () => {
    await removeJob(job.id)
    onChange()
  }
  return (
    <li className="job">
      <div className="card-head">
        <h3>
          {titleOf(job)} <Chip tone={tone}>{words}</Chip>
        </h3>
        <span className="muted small">
          <When at={job.endedAt ?? job.startedAt} />
        </span>
      </div>
      {job.type === "import" ? <Imported job={job} /> : <Exported job={job} />}
      {job.waiting !== null && <p className="muted">{job.waiting}</p>}
      {job.error !== null && (
        <p className="fault" role="alert">
          {job.error}
        </p>
      )}
      <div className="actions">
        {job.type === "import" && job.refused > 0 && (
          <Button onClick={() => void saveRefused(job)}>Download what was refused, by line</Button>
        )}
        {job.type === "export" && job.state === "done" && (
          <Button kind="primary" onClick={() => void saveExported(job)}>
            Download {job.name}
          </Button>
        )}
        {job.state === "running" && <Button onClick={() => void set("paused")}>Pause</Button>}
        {job.state === "paused" && <Button onClick={() => void set("running")}>Go on</Button>}
        {job.state === "failed" && <Button onClick={() => void set("running")}>Try again</Button>}
        {job.state === "done" ? (
          <Button kind="quiet" onClick={() => void forget()}>
            Forget<span className="unseen"> {job.name}</span>
          </Button>
        ) : (
          <Button kind="danger" onClick={() => setAsking(true)}>
            End…
          </Button>
        )}
      </div>
      {isAsking && (
        <Confirm
          title="End it before it is done?"
          words="End it"
          isBusy={false}
          onClose={() => setAsking(false)}
          onConfirm={() => void forget()}
        >
          <p>
            {job.type === "import"
              ? `${counted(job.created + job.changed, "row")} of the file have been written and stay. The others are not read.`
              : "What was read so far is forgotten."}
          </p>
        </Confirm>
      )}
    </li>
  )
}
