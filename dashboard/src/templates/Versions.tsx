import { Link, useSearch } from "@tanstack/react-router"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Loading, TableFrame, When } from "../parts/page.tsx"
import { Differences } from "./Differences.tsx"
import type { Template } from "./draft.ts"
import type { TemplateVersionsQuery } from "./operations.ts"
import { templateVersion, templateVersions } from "./operations.ts"
import type { Sources } from "./sources.ts"
import { sourcesOf } from "./sources.ts"

type Version = TemplateVersionsQuery["templateVersions"][number]

const KINDS: Readonly<Record<string, string>> = {
  CLI: "The command line",
  KEY: "An API key",
  SYSTEM: "The service",
  USER: "A person who has no account any more"
}

/** What one version changed, and a way back to it. */
const Changed = ({
  before,
  isLatest,
  isTyped,
  of,
  onTake
}: {
  readonly of: Version
  /** The version before it; null for the first one that is kept. */
  readonly before: Version | null
  readonly isLatest: boolean
  readonly isTyped: boolean
  readonly onTake: (sources: Sources) => void
}) => {
  const { may } = useApp()
  const after = useAsk(templateVersion, { id: of.id })
  const first = useAsk(templateVersion, { id: before?.id ?? "" }, { enabled: before !== null })
  const now = after.data?.templateVersion
  const then = first.data?.templateVersion
  const title = before === null ? `Version ${of.version}` : `From version ${before.version} to ${of.version}`
  return (
    <Card
      title={title}
      actions={
        now &&
        !isLatest &&
        may("CHANGE_TEMPLATES") && (
          <Button onClick={() => onTake(sourcesOf(now))}>Edit from version {of.version}</Button>
        )
      }
    >
      <ErrorNotice error={after.error ?? first.error} />
      {isTyped && !isLatest && may("CHANGE_TEMPLATES") && (
        <p className="small muted">What you typed and did not save would give way to it.</p>
      )}
      {now && before === null && <p className="muted">The versions before it are not kept.</p>}
      {now && then && <Differences before={sourcesOf(then)} after={sourcesOf(now)} />}
      {!after.error && !first.error && (!now || (before !== null && !then)) && <Loading />}
    </Card>
  )
}

/** The latest versions, and what each changed. */
export const Versions = ({
  isTyped,
  onTake,
  one
}: {
  readonly one: Template
  /** There is something typed that was not saved. */
  readonly isTyped: boolean
  readonly onTake: (sources: Sources) => void
}) => {
  const { appId } = useApp()
  const search = useSearch({ strict: false }) as { readonly version?: string }
  const shown = useAsk(templateVersions, { id: one.id })
  const versions = shown.data?.templateVersions ?? []
  const chosen = Math.max(
    0,
    versions.findIndex(({ version }) => String(version) === search.version)
  )
  const of = versions[chosen]
  return (
    <div className="versions">
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {versions.length > 0 && (
        <TableFrame label="Versions">
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">By</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {versions.map(({ actor, createdAt, id, version }, at) => (
              <tr key={id} className={at === chosen ? "opened" : ""}>
                <td className="nowrap">
                  <Link
                    to="/apps/$appId/templates/$id"
                    params={{ appId, id: one.id }}
                    search={{ view: "versions", version: String(version) } as never}
                    resetScroll={false}
                    className="row-link"
                    aria-current={at === chosen || undefined}
                  >
                    Version {version}
                  </Link>{" "}
                  {at === 0 && <Chip tone="good">In use</Chip>}
                </td>
                <td>{actor.email ?? KINDS[actor.kind] ?? actor.kind}</td>
                <td className="nowrap">
                  <When at={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      {of && (
        <Changed
          key={of.id}
          of={of}
          before={versions[chosen + 1] ?? null}
          isLatest={chosen === 0}
          isTyped={isTyped}
          onTake={onTake}
        />
      )}
    </div>
  )
}
