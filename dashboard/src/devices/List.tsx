import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { Tags } from "../parts/tags.tsx"
import { DeviceName, DeviceState } from "./cells.tsx"
import type { DevicesQuery } from "./operations.ts"
import { devices } from "./operations.ts"
import { DEVICE_STATUS, PLATFORM } from "./words.ts"

type Row = DevicesQuery["devices"]["nodes"][number]
type Filter = Readonly<Partial<Record<"platform" | "state" | "environment" | "user" | "tag" | "seen", string>>>
type Search = Filter & { readonly after?: string }

const NONE: Filter = {
  platform: undefined,
  state: undefined,
  environment: undefined,
  user: undefined,
  tag: undefined,
  seen: undefined
}

const DAY_MS = 86_400_000

/** When a device was seen last: `7` within so many days, `-90` not within them. Whole days: the question stays the same. */
const seenOf = (text: string | undefined) => {
  const days = Number(text)
  if (!Number.isInteger(days) || days === 0) return { lastSeenFrom: null, lastSeenBefore: null }
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const moment = new Date(today - Math.abs(days) * DAY_MS).toISOString()
  return days > 0 ? { lastSeenFrom: moment, lastSeenBefore: null } : { lastSeenFrom: null, lastSeenBefore: moment }
}

const oneOf = <Value extends string>(
  value: string | undefined,
  values: Readonly<Record<Value, unknown>>
): Value | null => (value !== undefined && Object.hasOwn(values, value) ? (value as Value) : null)

const ENVIRONMENT = { PRODUCTION: "Production", SANDBOX: "Sandbox" } as const

const Rows = ({ rows }: { readonly rows: ReadonlyArray<Row> }) => (
  <TableFrame label="Devices">
    <thead>
      <tr>
        <th scope="col">Device</th>
        <th scope="col">State</th>
        <th scope="col">Person</th>
        <th scope="col">Tags</th>
        <th scope="col">Time zone</th>
        <th scope="col">Last seen</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((device) => (
        <tr key={device.id}>
          <td>
            <DeviceName one={device} />
          </td>
          <td>
            <DeviceState one={device} />
          </td>
          <td className="details">{device.userId ?? <span className="muted">anonymous</span>}</td>
          <td>
            <Tags tags={device.tags} most={3} />
          </td>
          <td>{device.timezone ?? <span className="muted">–</span>}</td>
          <td>
            <When at={device.lastSeenAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)

/** Apps and browsers that have registered. */
export const List = () => {
  const { appId } = useApp()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [user, setUser] = useState(search.user ?? "")
  const [tag, setTag] = useState(search.tag ?? "")
  const filter = (changes: Filter): void =>
    void navigate({ to: ".", search: { ...search, after: undefined, ...changes } as never })
  const shown = useAsk(
    devices,
    {
      appId,
      platform: oneOf(search.platform, PLATFORM),
      status: oneOf(search.state, DEVICE_STATUS),
      environment: oneOf(search.environment, ENVIRONMENT),
      userId: search.user ?? null,
      tagsAny: search.tag === undefined ? null : [search.tag],
      ...seenOf(search.seen),
      first: 50,
      after: search.after ?? null
    },
    { keep: true }
  )
  const rows = shown.data?.devices.nodes ?? []
  const next = shown.data?.devices.pageInfo
  const isFiltered = Object.keys(NONE).some((name) => search[name as keyof Filter] !== undefined)
  const clear = () => {
    setUser("")
    setTag("")
    filter(NONE)
  }
  const content = () => {
    if (shown.data === undefined) return shown.error ? null : <Loading />
    if (rows.length > 0) return <Rows rows={rows} />
    return isFiltered ? (
      <Empty title="No device matches the filters.">
        <Button onClick={clear}>Clear the filters</Button>
      </Empty>
    ) : (
      <Empty title="No devices yet.">
        <p>Apps and browsers register themselves with the public key; those you have already can be imported.</p>
        <a className="button plain" href="/docs">
          How devices register
        </a>
      </Empty>
    )
  }
  return (
    <Page title="Devices">
      <div className="filters" role="group" aria-label="Filters">
        <label>
          Platform
          <select
            value={search.platform ?? ""}
            onChange={(event) => filter({ platform: event.target.value || undefined })}
          >
            <option value="">All</option>
            {Object.entries(PLATFORM).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          State
          <select value={search.state ?? ""} onChange={(event) => filter({ state: event.target.value || undefined })}>
            <option value="">All</option>
            {Object.entries(DEVICE_STATUS).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Last seen
          <select value={search.seen ?? ""} onChange={(event) => filter({ seen: event.target.value || undefined })}>
            <option value="">At any time</option>
            <option value="1">Since yesterday</option>
            <option value="30">Within 30 days</option>
            <option value="-30">Not for 30 days</option>
            <option value="-90">Not for 90 days</option>
          </select>
        </label>
        <label>
          Environment
          <select
            value={search.environment ?? ""}
            onChange={(event) => filter({ environment: event.target.value || undefined })}
          >
            <option value="">All</option>
            {Object.entries(ENVIRONMENT).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Form
          className="inline"
          onSubmit={() => filter({ user: user.trim() || undefined, tag: tag.trim() || undefined })}
        >
          <TextField
            label="Person, by your own id"
            type="search"
            value={user}
            onChange={setUser}
            placeholder="user-42"
          />
          <TextField label="With the tag" type="search" value={tag} onChange={setTag} placeholder="news" />
          <Button type="submit">Find</Button>
        </Form>
        {isFiltered && (
          <Button kind="quiet" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {content()}
      <Pager page={next} words={["Oldest", "Newer"]} />
    </Page>
  )
}
