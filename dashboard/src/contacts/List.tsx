import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { Tags } from "../parts/tags.tsx"
import { NewContact } from "./Editor.tsx"
import type { ContactsQuery } from "./operations.ts"
import { contacts, findContacts } from "./operations.ts"

type Row = ContactsQuery["contacts"]["nodes"][number]
type Search = Readonly<Partial<Record<"find" | "tag" | "after" | "new", string>>>

const Rows = ({ appId, rows }: { readonly appId: string; readonly rows: ReadonlyArray<Row> }) => (
  <TableFrame label="Contacts">
    <thead>
      <tr>
        <th scope="col">Person</th>
        <th scope="col">E-mail</th>
        <th scope="col">Tags</th>
        <th scope="col">Language</th>
        <th scope="col">Time zone</th>
        <th scope="col">Made</th>
        <th scope="col">Changed</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(({ createdAt, email, externalId, id, locale, tags, timezone, updatedAt }) => (
        <tr key={id}>
          <td className="details">
            <Link to="/apps/$appId/contacts/$id" params={{ appId, id }} className="row-link">
              {externalId}
            </Link>
          </td>
          <td className="details">{email ?? <span className="muted">–</span>}</td>
          <td>
            <Tags tags={tags} most={3} />
          </td>
          <td>{locale ?? <span className="muted">–</span>}</td>
          <td>{timezone ?? <span className="muted">–</span>}</td>
          <td>
            <When at={createdAt} />
          </td>
          <td>
            <When at={updatedAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </TableFrame>
)

/** The people that the application knows, found by their id, by an address, or by a tag. */
export const List = () => {
  const { appId, may } = useApp()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [text, setText] = useState(search.find ?? "")
  const [tag, setTag] = useState(search.tag ?? "")
  const go = (changes: Search): void => void navigate({ to: ".", search: { ...search, ...changes } as never })
  const wanted = search.find ?? ""
  const found = useAsk(
    findContacts,
    { appId, text: wanted, isAddress: wanted.includes("@") },
    { enabled: wanted !== "", keep: true }
  )
  const listed = useAsk(
    contacts,
    { appId, tag: search.tag ?? null, first: 50, after: search.after ?? null },
    { enabled: wanted === "", keep: true }
  )
  const shown = wanted === "" ? listed : found
  const rows =
    wanted === ""
      ? (listed.data?.contacts.nodes ?? [])
      : [
          ...(found.data?.byId.nodes ?? []),
          ...(found.data?.byAddress?.nodes ?? []).flatMap(({ contact }) => contact ?? [])
        ]
          // An application may call people by their addresses.
          .filter(({ id }, i, all) => all.findIndex((other) => other.id === id) === i)
  const next = wanted === "" ? listed.data?.contacts.pageInfo : undefined
  const isFiltered = wanted !== "" || search.tag !== undefined
  const canChange = may("CHANGE_CONTACTS")
  const clear = () => {
    setText("")
    setTag("")
    go({ find: undefined, tag: undefined, after: undefined })
  }
  const content = () => {
    if (shown.data === undefined) return shown.error ? null : <Loading />
    if (rows.length > 0) return <Rows appId={appId} rows={rows} />
    if (wanted !== "") {
      return (
        <Empty title={`There is no contact with the id or address ${wanted}.`}>
          <p>Ids and addresses are compared as a whole. A device can be there without a contact: look among devices.</p>
          <Button onClick={clear}>Show all contacts</Button>
        </Empty>
      )
    }
    if (isFiltered) {
      return (
        <Empty title={`No contact has the tag ${search.tag}.`}>
          <Button onClick={clear}>Clear the filter</Button>
        </Empty>
      )
    }
    return (
      <Empty title="No contacts yet.">
        <p>A contact is a person: an id of your own, an address, tags and attributes, and the devices with that id.</p>
        {canChange ? (
          <Button kind="primary" onClick={() => go({ new: "contact" })}>
            New contact…
          </Button>
        ) : (
          <p>Members of the organization make them; your role reads.</p>
        )}
      </Empty>
    )
  }
  return (
    <Page
      title="Contacts"
      actions={
        canChange && (
          <Button kind="primary" onClick={() => go({ new: "contact" })}>
            New contact…
          </Button>
        )
      }
    >
      <div className="filters" role="group" aria-label="Filters">
        <Form
          className="inline"
          onSubmit={() => go({ find: text.trim() || undefined, tag: undefined, after: undefined })}
        >
          <TextField
            label="Your own id, or an e-mail address"
            type="search"
            value={text}
            onChange={setText}
            placeholder="user-42"
          />
          <Button type="submit">Find</Button>
        </Form>
        <Form
          className="inline"
          onSubmit={() => go({ tag: tag.trim() || undefined, find: undefined, after: undefined })}
        >
          <TextField label="With the tag" type="search" value={tag} onChange={setTag} placeholder="news" />
          <Button type="submit">Filter</Button>
        </Form>
        {isFiltered && (
          <Button kind="quiet" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {content()}
      <Pager page={next} words={["Oldest", "Newer"]} isFirst={wanted !== "" || !search.after} />
      {search.new !== undefined && canChange && <NewContact onClose={() => go({ new: undefined })} />}
    </Page>
  )
}
