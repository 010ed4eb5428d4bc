import { Link, useSearch } from "@tanstack/react-router"
import { useCallback, useEffect, useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { ErrorNotice } from "../parts/form.tsx"
import { Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { count } from "../parts/time.ts"
import { segmentCount, segments } from "./operations.ts"
import { conditionWords } from "./words.ts"

/** Counting reads the audience: one is counted after the other, and not again and again. */
const Count = ({
  id,
  isTurn,
  onDone
}: {
  readonly id: string
  readonly isTurn: boolean
  readonly onDone: () => void
}) => {
  const { data, error } = useAsk(segmentCount, { segmentId: id }, { enabled: isTurn })
  const isDone = data !== undefined || error !== null
  useEffect(() => {
    if (isTurn && isDone) onDone()
  }, [isTurn, isDone, onDone])
  if (error) return <span className="muted">–</span>
  const found = data?.segmentCount
  if (!found) return <span className="muted">…</span>
  return (
    <>
      {!found.isExact && "about "}
      {count(found.recipients)}
    </>
  )
}

/** Audiences that are kept under a name. */
export const List = () => {
  const { appId, may } = useApp()
  const search = useSearch({ strict: false }) as { readonly after?: string }
  const shown = useAsk(segments, { appId, first: 20, after: search.after ?? null }, { keep: true })
  const rows = shown.data?.segments.nodes ?? []
  const next = shown.data?.segments.pageInfo
  const [counted, setCounted] = useState<ReadonlySet<string>>(new Set())
  const turn = rows.find(({ id }) => !counted.has(id))?.id
  const onDone = useCallback(() => {
    if (turn !== undefined) setCounted((before) => new Set(before).add(turn))
  }, [turn])
  const canChange = may("CHANGE_SEGMENTS")
  const make = (
    <Link to="/apps/$appId/segments/$id" params={{ appId, id: "new" }} className="button primary">
      New segment
    </Link>
  )
  return (
    <Page title="Segments" actions={canChange && make}>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data !== undefined && rows.length === 0 && (
        <Empty title="No segments yet.">
          <p>
            A segment is an audience by what describes it: who is in it is seen anew whenever something is sent to it.
          </p>
          {canChange && make}
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label="Segments">
          <thead>
            <tr>
              <th scope="col">Segment</th>
              <th scope="col">Everybody who</th>
              <th scope="col" className="number">
                Recipients now
              </th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ filter, id, name, updatedAt }) => (
              <tr key={id}>
                <td className="details">
                  <Link to="/apps/$appId/segments/$id" params={{ appId, id }} className="row-link">
                    {name}
                  </Link>
                </td>
                <td className="words">{conditionWords(filter).join("; ")}</td>
                <td className="number">
                  <Count id={id} isTurn={counted.has(id) || id === turn} onDone={onDone} />
                </td>
                <td>
                  <When at={updatedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      <Pager page={next} words={["Oldest", "Newer"]} />
    </Page>
  )
}
