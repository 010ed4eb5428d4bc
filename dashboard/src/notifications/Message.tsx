import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useApp } from "../frame/viewer.ts"
import { Card } from "../parts/page.tsx"
import { lasting } from "../parts/time.ts"
import type { NotificationQuery } from "./operations.ts"
import { audienceWords } from "./words.ts"

/** The request, as it was accepted. */
export const Message = ({ one }: { readonly one: NonNullable<NotificationQuery["notification"]> }) => {
  const { appId } = useApp()
  const { content, to } = one
  const facts: ReadonlyArray<readonly [string, ReactNode]> = [
    ["To", audienceWords(to)],
    ["Ways", one.channels?.map((way) => way.toLowerCase()).join(", ")],
    ["Title", content?.title],
    ["Body", content?.body],
    ["Subject", content?.subject],
    ["Leads to", content?.url],
    ["Picture", content?.image],
    ["Data", content?.data ? JSON.stringify(content.data) : null],
    [
      "Sent by",
      one.workflowId && (
        <>
          <Link to="/apps/$appId/workflows/$id" params={{ appId, id: one.workflowId }}>
            A workflow
          </Link>
          , step {one.workflowStep}
        </>
      )
    ],
    [
      "Template",
      one.templateId && (
        <Link to="/apps/$appId/templates/$id" params={{ appId, id: one.templateId }}>
          {one.templateId}
        </Link>
      )
    ],
    ["Variables", one.variables ? JSON.stringify(one.variables) : null],
    ["Priority", one.priority === "HIGH" ? "High" : "Bulk"],
    ["Time to live", one.ttl === null ? null : lasting(one.ttl)],
    ["Collapse key", one.collapseKey]
  ]
  return (
    <Card title="What was sent">
      <dl className="facts">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null
        )}
      </dl>
    </Card>
  )
}
