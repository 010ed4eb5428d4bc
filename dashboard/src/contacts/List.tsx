import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useEffectEvent, useRef, useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { useRested } from "../parts/rested.ts"
import { Tags } from "../parts/tags.tsx"
import { isAddress } from "./addresses.ts"
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

/** The people that the application knows, found by how their id, address or name begins, or by a tag. */
export const List = () => {
  const { appId, may } = useApp()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [text, setText] = useState(search.find ?? "")
  const [tag, setTag] = useState(search.tag ?? "")
  const go = (changes: Search): void => void navigate({ to: ".", search: { ...search, ...changes } as never })
  const wanted = search.find ?? ""
  const asked = useRef(wanted)
  const rested = useRested(text.trim(), 300)
  const find = useEffectEvent((find: string) => {
    if (find === wanted || find !== text.trim()) return
    asked.current = find
    const next = { ...search, find: find || undefined, tag: undefined, after: undefined }
    // One step of the way back for what is typed, however often it rests.
    void navigate({ to: ".", search: next as never, replace: wanted !== "" })
  })
  useEffect(() => find(rested), [rested])
  // The browser's own way back changes what is wanted, too; what is typed meanwhile does not go.
  useEffect(() => {
    if (asked.current !== wanted) setText(wanted)
    asked.current = wanted
  }, [wanted])
  const found = useAsk(
    findContacts,
    { appId, text: wanted, isAddress: isAddress(wanted) && !search.after, after: search.after ?? null },
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
          ...(found.data?.contacts.nodes ?? []),
          // Who is linked to an address beside their own.
          ...(found.data?.byAddress?.nodes ?? []).flatMap(({ contact }) => contact ?? [])
        ].filter(({ id }, i, all) => all.findIndex((other) => other.id === id) === i)
  const next = shown.data?.contacts.pageInfo
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
        <Empty title={`There is no contact whose id, address or name begins with ${wanted}.`}>
          <p>A name is the attribute “name”. A device can be there without a contact: look among devices.</p>
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
        <TextField
          label="Find by how an id, address or name begins"
          type="search"
          value={text}
          onChange={setText}
          placeholder="user-42"
        />
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
      <Pager page={next} words={wanted === "" ? ["Oldest", "Newer"] : ["First", "More"]} />
      {search.new !== undefined && canChange && <NewContact onClose={() => go({ new: undefined })} />}
    </Page>
  )
}
