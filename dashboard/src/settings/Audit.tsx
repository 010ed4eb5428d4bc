import { useSearch } from "@tanstack/react-router"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { ErrorNotice } from "../parts/form.tsx"
import { Card, Empty, Id, Loading, TableFrame } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { moment, zone } from "../parts/time.ts"
import type { AuditQuery } from "./operations.ts"
import { audit } from "./operations.ts"

const KINDS: Readonly<Record<string, string>> = {
  CLI: "The command line",
  KEY: "An API key",
  SYSTEM: "The service",
  USER: "A person who has no account any more"
}

const actorOf = ({ email, kind }: AuditQuery["auditLog"]["nodes"][number]["actor"]): string =>
  email ?? KINDS[kind] ?? kind

/** The values of an object with the names that lead to them, as `settings from: …`. */
const flat = (value: unknown, path: string): ReadonlyArray<readonly [string, string]> => {
  if (Array.isArray(value))
    return [[path, value.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(", ")]]
  if (typeof value !== "object" || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, one]) => flat(one, `${path} ${name.replaceAll("_", " ")}`.trim()))
}

/** Who changed what. */
export const Audit = () => {
  const { appId } = useApp()
  const { after } = useSearch({ strict: false }) as { readonly after?: string }
  const shown = useAsk(audit, { appId, first: 50, after: after ?? null }, { keep: true })
  const rows = shown.data?.auditLog.nodes ?? []
  const next = shown.data?.auditLog.pageInfo
  return (
    <Card title="Audit log">
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && <Empty title="Nothing was changed yet." />}
      {rows.length > 0 && (
        <TableFrame label="Audit log">
          <thead>
            <tr>
              <th scope="col">When ({zone})</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Of what</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((entry) => {
              const details = flat(entry.details, "")
              return (
                <tr key={entry.id}>
                  <td>
                    <time dateTime={entry.at} className="number">
                      {moment(entry.at).replace(` (${zone})`, "")}
                    </time>
                  </td>
                  <td>{actorOf(entry.actor)}</td>
                  <td>
                    <code className="number">{entry.action}</code>
                  </td>
                  <td>
                    {entry.target &&
                      (entry.target.length > 20 ? (
                        <Id value={entry.target} label="id of what was changed" />
                      ) : (
                        entry.target
                      ))}
                  </td>
                  <td className="small details">
                    {details.map(([name, value]) => (
                      <div key={name}>
                        <span className="muted">{name}</span> {value}
                      </div>
                    ))}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </TableFrame>
      )}
      <Pager page={next} />
    </Card>
  )
}
