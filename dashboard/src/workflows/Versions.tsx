import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp, useId } from "../frame/viewer.ts"
import { Button, ErrorNotice, useDraft } from "../parts/form.tsx"
import { Card, Chip, Confirm, Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { count } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { Differences } from "./Differences.tsx"
import type { Said } from "./Differences.tsx"
import type { Draft } from "./draft.ts"
import { EMPTY, kept } from "./draft.ts"
import type { VersionQuery, VersionsQuery } from "./operations.ts"
import { version as readVersion, versions } from "./operations.ts"
import type { Step } from "./steps.ts"
import type { Trigger } from "./trigger.ts"

type Search = Readonly<Partial<Record<"after" | "left" | "right", string>>>
type Listed = VersionsQuery["workflowVersions"]["nodes"][number]
type Whole = NonNullable<VersionQuery["workflowVersion"]>

const ACTOR: Readonly<Record<string, string>> = {
  KEY: "An API key",
  CLI: "The command line",
  SYSTEM: "The service",
  USER: "A person who has no account any more"
}
const whoOf = ({ email, kind }: Listed["actor"]): string => email ?? ACTOR[kind] ?? kind

const DRAFT = "draft"
const wordsOf = (side: string): string => (side === DRAFT ? "your draft" : `version ${side}`)

const saidOf = ({ reentry, steps, trigger, version }: Whole): Said => ({
  words: wordsOf(String(version)),
  reentry,
  trigger,
  steps: steps as unknown as ReadonlyArray<Step>
})

/** One side of the comparison: a version by its number, or the draft of this tab. */
const useSide = (id: string, side: string, draft: Draft) => {
  const number = Number(side)
  const isNumber = Number.isSafeInteger(number) && number > 0
  const shown = useAsk(readVersion, { id, version: number }, { enabled: isNumber })
  if (side === DRAFT) {
    const { reentry, steps, trigger } = draft
    return {
      said: draft.isOpen ? { words: wordsOf(DRAFT), reentry, steps, trigger } : null,
      error: null,
      isMissing: !draft.isOpen
    }
  }
  const whole = shown.data?.workflowVersion
  return { said: whole ? saidOf(whole) : null, error: shown.error, isMissing: !isNumber || whole === null }
}

const Compared = ({
  draft,
  id,
  left,
  right
}: {
  readonly id: string
  readonly left: string
  readonly right: string
  readonly draft: Draft
}) => {
  const [one, other] = [useSide(id, left, draft), useSide(id, right, draft)]
  const missing = one.isMissing ? left : other.isMissing ? right : null
  if (one.error ?? other.error) return <ErrorNotice error={one.error ?? other.error} />
  if (missing !== null) return <Empty title={`There is no ${wordsOf(missing).replace("your ", "")} of it here.`} />
  if (one.said === null || other.said === null) return <Loading />
  return <Differences left={one.said} right={other.said} />
}

/** Asks before what is typed is lost, and makes a draft of what the version says. */
const Take = ({
  draft,
  id,
  onClose,
  onTake,
  version
}: {
  readonly id: string
  readonly version: number
  readonly draft: Draft
  readonly onTake: (whole: Whole) => void
  readonly onClose: () => void
}) => {
  const shown = useAsk(readVersion, { id, version })
  const whole = shown.data?.workflowVersion
  return (
    <Confirm
      title={`Make a draft of version ${version}?`}
      words="Make the draft"
      doing="primary"
      isBusy={!whole}
      error={<ErrorNotice error={shown.error} />}
      onClose={onClose}
      onConfirm={() => whole && onTake(whole)}
    >
      <p>
        You see it on the canvas before it is saved, and it becomes a new version then. Values of headers that the
        latest version does not have have to be given again.
      </p>
      {draft.isOpen && <p className="fault">You have changes that are not saved. They are dropped.</p>}
    </Confirm>
  )
}

const Row = ({
  canTake,
  isLatest,
  of,
  onTake,
  params
}: {
  readonly of: Listed
  readonly isLatest: boolean
  readonly canTake: boolean
  readonly params: { readonly appId: string; readonly id: string }
  readonly onTake: () => void
}) => (
  <tr>
    <th scope="row">
      {of.version} {isLatest && <Chip tone="good">Latest</Chip>}
    </th>
    <td>
      <When at={of.createdAt} />
    </td>
    <td>{whoOf(of.actor)}</td>
    <td className="number">{count(of.runs)}</td>
    <td>
      <div className="actions">
        {of.version > 1 && (
          <Link
            to="/apps/$appId/workflows/$id/versions"
            params={params}
            search={
              ((before: Search) => ({
                ...before,
                left: String(of.version - 1),
                right: String(of.version)
              })) as never
            }
            className="button quiet"
          >
            What changed<span className="unseen"> in version {of.version}</span>
          </Link>
        )}
        {canTake && !isLatest && (
          <Button kind="quiet" onClick={onTake}>
            Take as the draft…<span className="unseen"> version {of.version}</span>
          </Button>
        )}
      </div>
    </td>
  </tr>
)

/** All that a workflow has been: who made each version, what changed, and which runs are still on it. */
export const Versions = () => {
  const { appId, may } = useApp()
  const id = useId("id")
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const shown = useAsk(versions, { id, first: 50, after: search.after ?? null }, { keep: true, every: 10_000 })
  const { change, value: draft } = useDraft<Draft>(`workflow ${id}`, EMPTY, kept)
  const [taken, setTaken] = useState<number | null>(null)
  const one = shown.data?.workflow
  const above = (
    <Link to="/apps/$appId/workflows/$id" params={{ appId, id }}>
      {one?.name ?? "Workflow"}
    </Link>
  )
  if (!one) {
    return (
      <Page title="Versions" above={above}>
        <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        {shown.data === undefined && !shown.error && <Loading />}
        {shown.data && <Empty title="There is no such workflow." />}
      </Page>
    )
  }
  const rows = shown.data!.workflowVersions.nodes
  const left = search.left ?? (one.version > 1 ? String(one.version - 1) : undefined)
  const right = search.right ?? (one.version > 1 ? String(one.version) : undefined)
  const choices = Array.from({ length: Math.min(one.version, 200) }, (_, i) => String(one.version - i))
  const compare = (side: "left" | "right", value: string): void =>
    void navigate({ to: ".", search: { ...search, left, right, [side]: value } as never, replace: true })
  const canTake = may("CHANGE_WORKFLOWS") && one.status !== "ARCHIVED"
  return (
    <Page title="Versions" above={above}>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      <Card>
        <TableFrame label="Versions">
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Made</th>
              <th scope="col">By</th>
              <th scope="col" className="number">
                Runs under way
              </th>
              <th scope="col">
                <span className="unseen">What can be done</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((of) => (
              <Row
                key={of.id}
                of={of}
                isLatest={of.version === one.version}
                canTake={canTake}
                params={{ appId, id }}
                onTake={() => setTaken(of.version)}
              />
            ))}
          </tbody>
        </TableFrame>
        <Pager page={shown.data!.workflowVersions.pageInfo} />
      </Card>
      {left !== undefined && right !== undefined ? (
        <>
          <div className="filters" role="group" aria-label="Versions that are compared">
            {(["left", "right"] as const).map((side) => (
              <label key={side}>
                {side === "left" ? "Compare" : "with"}
                <select value={side === "left" ? left : right} onChange={({ target }) => compare(side, target.value)}>
                  {draft.isOpen && <option value={DRAFT}>Your draft</option>}
                  {choices.map((number) => (
                    <option key={number} value={number}>
                      Version {number}
                    </option>
                  ))}
                </select>
              </label>
            ))}
          </div>
          <Compared id={id} left={left} right={right} draft={draft} />
        </>
      ) : (
        <p className="muted">There is one version: what changes shows here as soon as there is another.</p>
      )}
      {taken !== null && (
        <Take
          id={id}
          version={taken}
          draft={draft}
          onClose={() => setTaken(null)}
          onTake={(whole) => {
            change({
              isOpen: true,
              basis: one.version,
              name: one.name,
              reentry: whole.reentry,
              trigger: whole.trigger as unknown as Trigger,
              steps: whole.steps as unknown as ReadonlyArray<Step>,
              open: null
            })
            toast(`The draft says what version ${taken} said`)
            void navigate({ to: "/apps/$appId/workflows/$id", params: { appId, id } })
          }}
        />
      )}
    </Page>
  )
}
