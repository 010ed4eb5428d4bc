import type { UseQueryResult } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Empty, Id, Loading, TableFrame } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { LAST_DAY, moment, startOfDay, zone } from "../parts/time.ts"
import { actionWords } from "./actions.ts"

type Search = Readonly<Partial<Record<"who" | "what" | "from" | "to" | "after", string>>>

interface Entry {
  readonly id: string
  readonly at: string
  readonly action: string
  readonly target: string | null
  /** Of whom it tells, in the log of an organization. */
  readonly email?: string | null
  readonly details: unknown
  readonly actor: { readonly kind: string; readonly actorId: string | null; readonly email: string | null }
}

export interface LogPage {
  readonly nodes: ReadonlyArray<Entry>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** What the address asks of a log, as variables of its query. */
export const useLogFilter = (actions: ReadonlyArray<string>) => {
  const { after, from, to, what, who } = useSearch({ strict: false }) as Search
  return {
    actorId: who ?? null,
    action: what !== undefined && actions.includes(what) ? what : null,
    from: startOfDay(from),
    to: startOfDay(to, 1),
    first: 50,
    after: after ?? null
  }
}

/** Those who may have done something, by their ids. */
export type Actors = ReadonlyArray<readonly [id: string, name: string]>

const KINDS: Readonly<Record<string, string>> = {
  CLI: "The command line",
  KEY: "An API key",
  SYSTEM: "The service",
  USER: "A person who has no account any more"
}

/** The values of an object with the names that lead to them, as `settings from: …`. */
const flat = (value: unknown, path: string): ReadonlyArray<readonly [string, string]> => {
  if (Array.isArray(value)) {
    return value.some((one) => typeof one === "object")
      ? value.flatMap((one) => flat(one, path))
      : [[path, value.map(String).join(", ")]]
  }
  if (typeof value !== "object" || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, one]) => flat(one, `${path} ${name.replaceAll("_", " ")}`.trim()))
}

/** A log: who changed what, newest first, filtered as the address says. */
export const Log = ({
  actions,
  actors,
  children,
  shown,
  title
}: {
  readonly title: string
  readonly shown: Pick<UseQueryResult, "error" | "refetch"> & { readonly data: LogPage | undefined }
  readonly actions: ReadonlyArray<string>
  readonly actors: Actors
  /** What there is to know of the log. */
  readonly children: ReactNode
}) => {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const filter = (changes: Search): void =>
    void navigate({ to: ".", search: { ...search, after: undefined, ...changes } as never })
  const rows = shown.data?.nodes ?? []
  const names = new Map(actors)
  const nameOf = ({ actorId, email, kind }: Entry["actor"]): string =>
    email ?? names.get(actorId ?? "") ?? (kind === "CLI" && actorId ? `${KINDS["CLI"]}, ${actorId}` : KINDS[kind]!)
  const chosen = rows.find(({ actor }) => actor.actorId === search.who)
  const who: Actors =
    search.who === undefined || names.has(search.who)
      ? actors
      : [...actors, [search.who, chosen === undefined ? "Somebody else" : nameOf(chosen.actor)]]
  const isFiltered = (["who", "what", "from", "to"] as const).some((name) => Boolean(search[name]))
  const clear = () => filter({ who: undefined, what: undefined, from: undefined, to: undefined })
  return (
    <Card title={title}>
      <p className="muted">{children}</p>
      <div className="filters" role="group" aria-label="Filters">
        <label>
          Who
          <select value={search.who ?? ""} onChange={({ target }) => filter({ who: target.value || undefined })}>
            <option value="">Anybody</option>
            {who.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          What
          <select value={search.what ?? ""} onChange={({ target }) => filter({ what: target.value || undefined })}>
            <option value="">Anything</option>
            {actions.map((action) => (
              <option key={action} value={action}>
                {actionWords(action)}
              </option>
            ))}
          </select>
        </label>
        <label>
          From
          <input
            type="date"
            max={LAST_DAY}
            value={search.from ?? ""}
            onChange={({ target }) => filter({ from: target.value || undefined })}
          />
        </label>
        <label>
          to
          <input
            type="date"
            max={LAST_DAY}
            value={search.to ?? ""}
            onChange={({ target }) => filter({ to: target.value || undefined })}
          />
        </label>
        {isFiltered && (
          <Button kind="quiet" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && (
        <Empty title={isFiltered ? "No change matches the filters." : "Nothing was changed yet."}>
          {isFiltered && <Button onClick={clear}>Clear the filters</Button>}
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label={title}>
          <thead>
            <tr>
              <th scope="col">When ({zone})</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Of what, or whom</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((entry) => (
              <tr key={entry.id}>
                <td>
                  <time dateTime={entry.at} className="number">
                    {moment(entry.at).replace(` (${zone})`, "")}
                  </time>
                </td>
                <td>
                  {entry.actor.actorId === null ? (
                    nameOf(entry.actor)
                  ) : (
                    <Link
                      to="."
                      search={
                        ((before: Search) => ({ ...before, who: entry.actor.actorId, after: undefined })) as never
                      }
                    >
                      {nameOf(entry.actor)}
                      <span className="unseen">: show only theirs</span>
                    </Link>
                  )}
                </td>
                <td>{actionWords(entry.action)}</td>
                <td>
                  {entry.email && <span className="block">{entry.email}</span>}
                  {entry.target &&
                    (entry.target.length > 20 ? (
                      <Id value={entry.target} label="id of what was changed" />
                    ) : (
                      entry.target
                    ))}
                </td>
                <td className="small details">
                  {flat(entry.details, "").map(([name, value], i) => (
                    <div key={i}>
                      <span className="muted">{name}</span> {value}
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      <Pager page={shown.data?.pageInfo} />
    </Card>
  )
}
