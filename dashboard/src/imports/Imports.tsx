import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useApp, useViewer } from "../frame/viewer.ts"
import { Button, Choice } from "../parts/form.tsx"
import { Card, Empty, Page } from "../parts/page.tsx"
import type { Kind } from "./columns.ts"
import { JobItem } from "./JobItem.tsx"
import { NewImport } from "./NewImport.tsx"
import { run } from "./runner.ts"
import { addJob, jobsOf } from "./store.ts"
import type { ExportJob } from "./store.ts"

const KEY = ["imports and exports"]

const NewExport = ({ accountId, onStart }: { readonly accountId: string; readonly onStart: () => void }) => {
  const { appId } = useApp()
  const [kind, setKind] = useState<Kind>("contacts")
  const [format, setFormat] = useState<ExportJob["format"]>("csv")
  const start = async () => {
    const startedAt = new Date().toISOString()
    await addJob<ExportJob>({
      type: "export",
      accountId,
      appId,
      kind,
      format,
      name: `${kind}-${startedAt.slice(0, 10)}.${format}`,
      state: "running",
      startedAt,
      endedAt: null,
      error: null,
      waiting: null,
      cursor: null,
      rows: 0
    })
    run(accountId)
    onStart()
  }
  return (
    <Card title="Export">
      <Choice
        label="What"
        value={kind}
        onChange={setKind}
        options={[
          ["contacts", "Contacts"],
          ["devices", "Devices"]
        ]}
      />
      <Choice
        label="As"
        value={format}
        onChange={setFormat}
        options={[
          ["csv", "CSV, for spreadsheets"],
          ["ndjson", "JSON lines, for programs"]
        ]}
      />
      <p className="small muted">
        In CSV, a text that a spreadsheet would take for a formula has a quotation mark in front; an import takes it off
        again.
      </p>
      <Button onClick={() => void start()}>Export them</Button>
    </Card>
  )
}

/** What goes into the application's audience from files, and out of it. */
export const Imports = () => {
  const { appId, may } = useApp()
  const accountId = useViewer().data!.me!.id
  const jobs = useQuery({
    queryKey: [...KEY, accountId],
    queryFn: () => jobsOf(accountId),
    networkMode: "always",
    refetchInterval: ({ state }) => (state.data?.some((job) => job.state === "running") ? 500 : 3_000)
  })
  const shown = (jobs.data ?? []).filter((job) => job.appId === appId)
  const kinds = (["contacts", "devices"] as const).filter((kind) =>
    may(kind === "contacts" ? "CHANGE_CONTACTS" : "CHANGE_DEVICES")
  )
  const refresh = () => void jobs.refetch()
  return (
    <Page title="Import and export">
      {kinds.length > 0 && <NewImport accountId={accountId} kinds={kinds} onStart={refresh} />}
      <Card title="Under way, and done in this browser">
        {jobs.error && <p className="fault">This browser keeps nothing: {jobs.error.message}</p>}
        {shown.length === 0 && <Empty title="Nothing yet." />}
        {shown.length > 0 && (
          <ul className="jobs">
            {shown.map((job) => (
              <JobItem key={job.id} job={job} accountId={accountId} onChange={refresh} />
            ))}
          </ul>
        )}
        <p className="small muted">
          They go on while any page of this service is open in this browser, and after a reload from where they were.
          Signing out ends and forgets them; what was written stays.
        </p>
      </Card>
      <NewExport accountId={accountId} onStart={refresh} />
    </Page>
  )
}
