import { useState } from "react"
import { useApp, useViewer } from "../frame/viewer.ts"
import { Button, Choice } from "../parts/form.tsx"
import { Card, Empty, Page } from "../parts/page.tsx"
import { useBeginning } from "./begin.ts"
import type { Kind } from "./columns.ts"
import { JobItem } from "./JobItem.tsx"
import { ABOUT_CSV, FORMATS, startExport, useJobs } from "./jobs.ts"
import { NewImport } from "./NewImport.tsx"
import type { ExportJob } from "./store.ts"

const NewExport = ({ accountId, onStart }: { readonly accountId: string; readonly onStart: () => void }) => {
  const { appId } = useApp()
  const [kind, setKind] = useState<Kind>("contacts")
  const [format, setFormat] = useState<ExportJob["format"]>("csv")
  const beginning = useBeginning(async () => {
    await startExport({ accountId, appId, kind, format })
    onStart()
  })
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
      <Choice label="As" value={format} onChange={setFormat} options={FORMATS} />
      <p className="small muted">{ABOUT_CSV}</p>
      {beginning.fault !== null && (
        <p className="notice danger" role="alert">
          {beginning.fault}
        </p>
      )}
      <Button isBusy={beginning.isBusy} onClick={() => void beginning.start(undefined)}>
        Export them
      </Button>
    </Card>
  )
}

/** What goes into the application's audience from files, and out of it. */
export const Imports = () => {
  const { appId, may } = useApp()
  const accountId = useViewer().data!.me!.id
  const jobs = useJobs(accountId)
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
