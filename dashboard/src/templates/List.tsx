import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, Choice, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Dialog, Empty, GoBack, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import type { ContentInput } from "./operations.ts"
import { createTemplate, templates } from "./operations.ts"

const BEGINNINGS = {
  message: {
    title: "Hello {{ contact.attributes.name | default: 'there' }}",
    body: "Write here what happened."
  },
  mail: {
    subject: "Hello {{ contact.attributes.name | default: 'there' }}",
    html: `<p>Hello {{ contact.attributes.name | default: 'there' }},</p>

<p>write here what happened.</p>
`
  }
} as const satisfies Record<string, ContentInput>

/** A template to begin with, which is written on its page. */
const NewTemplate = ({ appId, onClose }: { readonly appId: string; readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [kind, setKind] = useState<keyof typeof BEGINNINGS>("message")
  const navigate = useNavigate()
  const making = useDo(
    createTemplate,
    ({ createTemplate: { id } }) => {
      void navigate({ to: "/apps/$appId/templates/$id", params: { appId, id } })
    },
    { once: true }
  )
  return (
    <Dialog title="New template" onClose={onClose}>
      <Form error={making.error} onSubmit={() => making.mutate({ appId, input: { name, content: BEGINNINGS[kind] } })}>
        <TextField label="Name" name="name" value={name} onChange={setName} autoFocus placeholder="Order sent" />
        <Choice
          label="Begin with"
          value={kind}
          onChange={setKind}
          options={[
            ["message", "A push or inbox message"],
            ["mail", "An e-mail"]
          ]}
        />
        <p className="muted small">Either can get the other's parts later, and other languages.</p>
        <ErrorNotice error={making.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={making.isPending}>
            Make the template
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** What is written once, and sent many times. */
export const List = () => {
  const { appId, may } = useApp()
  const { after } = useSearch({ strict: false }) as { readonly after?: string }
  const [isNew, setNew] = useState(false)
  const shown = useAsk(templates, { appId, first: 50, after: after ?? null }, { keep: true })
  const rows = shown.data?.templates.nodes ?? []
  const make = may("CHANGE_TEMPLATES") && (
    <Button kind="primary" onClick={() => setNew(true)}>
      New template…
    </Button>
  )
  return (
    <Page title="Templates" actions={make}>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && (
        <Empty title={after === undefined ? "No template yet." : "There are no more."}>
          {after === undefined && (
            <p>
              A message with places for names and numbers, in as many languages as you like. Notifications and workflows
              are filled from it, for each recipient.
            </p>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label="Templates">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Says</th>
              <th scope="col" className="number">
                Version
              </th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ content, id, name, updatedAt, version }) => (
              <tr key={id}>
                <td>
                  <Link to="/apps/$appId/templates/$id" params={{ appId, id }} className="row-link">
                    {name}
                  </Link>
                </td>
                <td className="details muted">{content.subject ?? content.title ?? content.body ?? "Data alone"}</td>
                <td className="number">{version}</td>
                <td>
                  <When at={updatedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      <Pager page={shown.data?.templates.pageInfo} words={["First", "More"]} />
      {isNew && <NewTemplate appId={appId} onClose={() => setNew(false)} />}
    </Page>
  )
}
