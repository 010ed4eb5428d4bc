import { Link, useSearch } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useAsk } from "../api/hooks.ts"
import type { TypedDocument } from "../api/typedDocument.ts"
import { DeviceName } from "../devices/cells.tsx"
import { useApp, useViewer } from "../frame/viewer.ts"
import { useBeginning } from "../imports/begin.ts"
import { ABOUT_CSV, FORMATS, startExport, useJobs } from "../imports/jobs.ts"
import { JobItem } from "../imports/JobItem.tsx"
import type { ExportJob } from "../imports/store.ts"
import { Button, Choice, ErrorNotice } from "../parts/form.tsx"
import { Card, Empty, Loading, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import type {
  SegmentDevicesQuery,
  SegmentPeopleQuery,
  SegmentPeopleQueryVariables,
  SegmentQuery
} from "./operations.ts"
import { segmentDevices, segmentPeople } from "./operations.ts"

type Segment = NonNullable<SegmentQuery["segment"]>
type Person = SegmentPeopleQuery["contacts"]["nodes"][number]
type Device = SegmentDevicesQuery["devices"]["nodes"][number]

interface Found<Row> {
  readonly nodes: ReadonlyArray<Row>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** What the addresses of pages are called by. */
const AFTER = { people: "after", devices: "devicesAfter" } as const

/**
 * A page of those in a segment. The service ends a page that has looked through its share: one on which nobody is leads on
 * by itself to the next.
 */
const useMembers = <Answer, Row>(
  document: TypedDocument<Answer, SegmentPeopleQueryVariables>,
  pick: (answer: Answer) => Found<Row>,
  segmentId: string,
  by: string
) => {
  const { appId } = useApp()
  const { [by]: after = null } = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const [further, setFurther] = useState<{ readonly from: string | null; readonly to: string | null } | null>(null)
  const from = further?.from === after ? further.to : after
  const { data, error, isPlaceholderData, refetch } = useAsk(
    document,
    { appId, segmentId, after: from },
    { keep: true }
  )
  const page = data === undefined ? null : pick(data)
  const isOnTheWay = page !== null && page.nodes.length === 0 && page.pageInfo.hasNextPage
  const leadsOn = isOnTheWay && !isPlaceholderData
  const next = page?.pageInfo.endCursor ?? null
  useEffect(() => {
    if (leadsOn) setFurther({ from: after, to: next })
  }, [after, leadsOn, next])
  return {
    rows: page === null || isOnTheWay ? null : page.nodes,
    pageInfo: isOnTheWay ? undefined : page?.pageInfo,
    isFirst: after === null,
    error,
    retry: () => void refetch()
  }
}

/** The attribute that a contact is found by as well. */
const nameOf = ({ attributes }: Person): string | null => {
  const { name } = attributes as { readonly name?: unknown }
  return typeof name === "string" && name.trim() !== "" ? name : null
}

const People = ({ appId, rows }: { readonly appId: string; readonly rows: ReadonlyArray<Person> }) => (
  <TableFrame label="People in the segment">
    <thead>
      <tr>
        <th scope="col">Person</th>
        <th scope="col">Name</th>
        <th scope="col">E-mail</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((person) => (
        <tr key={person.id}>
          <td className="details">
            <Link to="/apps/$appId/contacts/$id" params={{ appId, id: person.id }} className="row-link">
              {person.externalId}
            </Link>
          </td>
          <td className="details">{nameOf(person) ?? <span className="muted">–</span>}</td>
          <td className="details">{person.email ?? <span className="muted">–</span>}</td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)

const Devices = ({ rows }: { readonly rows: ReadonlyArray<Device> }) => (
  <TableFrame label="Devices in the segment">
    <thead>
      <tr>
        <th scope="col">Device</th>
        <th scope="col">Person</th>
        <th scope="col">Last seen</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((device) => (
        <tr key={device.id}>
          <td>
            <DeviceName one={device} />
          </td>
          <td className="details">{device.userId ?? <span className="muted">anonymous</span>}</td>
          <td>
            <When at={device.lastSeenAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)

/** Those in the segment as files; how far those are that were begun in this browser. */
const Exports = ({
  hasDevices,
  hasPeople,
  one: { id, name }
}: {
  readonly one: Segment
  readonly hasPeople: boolean
  readonly hasDevices: boolean
}) => {
  const { appId } = useApp()
  const accountId = useViewer().data!.me!.id
  const [format, setFormat] = useState<ExportJob["format"]>("csv")
  const jobs = useJobs(accountId)
  const own = (jobs.data ?? []).filter((job) => job.type === "export" && job.segment?.id === id)
  const refresh = () => void jobs.refetch()
  const { fault, isBusy, start } = useBeginning(async (kind: ExportJob["kind"]) => {
    await startExport({ accountId, appId, kind, format, segment: { id, name } })
    refresh()
  })
  return (
    <>
      {(hasPeople || hasDevices) && (
        <>
          <h3>Export</h3>
          <Choice label="As" value={format} onChange={setFormat} options={FORMATS} />
          <p className="small muted">{ABOUT_CSV}</p>
          <div className="actions">
            {hasPeople && (
              <Button isBusy={isBusy} onClick={() => void start("contacts")}>
                Export people
              </Button>
            )}
            {hasDevices && (
              <Button isBusy={isBusy} onClick={() => void start("devices")}>
                Export devices
              </Button>
            )}
          </div>
          {fault !== null && (
            <p className="notice danger" role="alert">
              {fault}
            </p>
          )}
        </>
      )}
      {jobs.error && <p className="fault">This browser keeps nothing: {jobs.error.message}</p>}
      {own.length > 0 && (
        <ul className="jobs">
          {own.map((job) => (
            <JobItem key={job.id} job={job} accountId={accountId} onChange={refresh} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Who is in a segment now, as it is saved, and the way to take them along. */
export const Members = ({ isDrafted = false, one }: { readonly one: Segment; readonly isDrafted?: boolean }) => {
  const { appId } = useApp()
  const people = useMembers(segmentPeople, ({ contacts }) => contacts, one.id, AFTER.people)
  const devices = useMembers(segmentDevices, ({ devices }) => devices, one.id, AFTER.devices)
  const hasPeople = (people.rows ?? []).length > 0 || !people.isFirst
  const hasDevices = (devices.rows ?? []).length > 0 || !devices.isFirst
  const nobody = () => {
    if (one.filter.platforms) return <p className="muted">Nobody: who asks for a platform means devices.</p>
    return <Empty title={people.isFirst ? "Nobody yet." : "Nobody further."} />
  }
  return (
    <Card title="Who is in it now">
      {isDrafted && (
        <p className="notice warning" role="status">
          This is by the conditions as they are saved; what you have changed is not in it yet.
        </p>
      )}
      <h3>People</h3>
      <ErrorNotice error={people.error} onRetry={people.retry} />
      {people.rows === null && !people.error && <Loading />}
      {people.rows !== null && (people.rows.length > 0 ? <People appId={appId} rows={people.rows} /> : nobody())}
      <Pager
        page={people.pageInfo}
        by={AFTER.people}
        label="Pages of people"
        words={["First people", "More people"]}
        isPart
      />
      <ErrorNotice error={devices.error} onRetry={devices.retry} />
      {hasDevices && (
        <>
          <h3>Devices</h3>
          {devices.rows === null ? <Loading /> : <Devices rows={devices.rows} />}
          <Pager
            page={devices.pageInfo}
            by={AFTER.devices}
            label="Pages of devices"
            words={["First devices", "More devices"]}
            isPart
          />
        </>
      )}
      <Exports one={one} hasPeople={hasPeople} hasDevices={hasDevices} />
    </Card>
  )
}
