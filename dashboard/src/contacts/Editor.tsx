import { useNavigate } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { useDo } from "../api/hooks.ts"
import { ask } from "../api/request.ts"
import { useApp } from "../frame/viewer.ts"
import { AreaField, Button, ErrorNotice, Form, keepInTab, TextField, useDraft } from "../parts/form.tsx"
import { Dialog, GoBack } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { Attributes } from "./Attributes.tsx"
import { attributesOf, repeatedName, typedOf } from "./attributes.ts"
import type { ContactChanges, ContactQuery } from "./operations.ts"
import { contact, known, updateContact, upsertContact } from "./operations.ts"
import type { TypedContact } from "./rebase.ts"
import { linesOf, rebase } from "./rebase.ts"

type Contact = NonNullable<ContactQuery["contact"]>

const EMPTY: TypedContact = { externalId: "", email: "", locale: "", timezone: "", tags: "", attributes: [] }

const orNull = (text: string): string | null => text.trim() || null

const inputOf = ({ attributes, email, locale, tags, timezone }: TypedContact): ContactChanges => ({
  email: orNull(email),
  locale: orNull(locale),
  timezone: orNull(timezone),
  tags: linesOf(tags),
  attributes: attributesOf(attributes)
})

/** With the contact as it was when typing began: a draft outlives a reload, which shows what others changed meanwhile. */
interface Edited extends TypedContact {
  readonly before: TypedContact
}

const draftKey = (id: string): string => `contact ${id}`

const typedContact = ({ attributes, email, externalId, locale, tags, timezone }: Contact): TypedContact => ({
  externalId,
  email: email ?? "",
  locale: locale ?? "",
  timezone: timezone ?? "",
  tags: tags.join("\n"),
  attributes: typedOf(attributes)
})

/** What differs from the contact as it was. Tags and attributes are whole: see rebase.ts. */
const changesOf = (before: TypedContact, after: TypedContact): ContactChanges => {
  const [was, is] = [inputOf(before), inputOf(after)]
  return Object.fromEntries(
    Object.entries(is).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name as keyof ContactChanges])
    )
  )
}

const Fields = ({
  change,
  typed
}: {
  readonly typed: TypedContact
  readonly change: (changes: Partial<TypedContact>) => void
}) => (
  <>
    <TextField label="E-mail" name="email" type="email" value={typed.email} onChange={(email) => change({ email })} />
    <div className="grid two">
      <TextField
        label="Language"
        name="locale"
        value={typed.locale}
        onChange={(locale) => change({ locale })}
        placeholder="de-AT"
      />
      <TextField
        label="Time zone"
        name="timezone"
        value={typed.timezone}
        onChange={(timezone) => change({ timezone })}
        placeholder="Europe/Vienna"
      />
    </div>
    <AreaField
      label="Tags"
      name="tags"
      value={typed.tags}
      onChange={(tags) => change({ tags })}
      rows={Math.min(8, Math.max(3, typed.tags.split("\n").length))}
      hint="One a line."
    />
    <Attributes rows={typed.attributes} onChange={(attributes) => change({ attributes })} />
  </>
)

const repeatedWords = (typed: TypedContact): string | null => {
  const name = repeatedName(typed.attributes)
  return name === null ? null : `There are two attributes ${name}: give one of them another name.`
}

const clashWords = (clashes: ReadonlyArray<string>): string =>
  `Somebody else has changed ${clashes.join(", ")} since you opened this. Save again, and yours takes the place of theirs; or go back and look at it first.`

const Fault = ({ words }: { readonly words: string | null }) =>
  words === null ? null : (
    <div className="notice danger" role="alert">
      <p>{words}</p>
    </div>
  )

export const NewContact = ({ onClose }: { readonly onClose: () => void }) => {
  const { appId } = useApp()
  const draft = useDraft(`new contact ${appId}`, EMPTY)
  const [fault, setFault] = useState<string | null>(null)
  const navigate = useNavigate()
  const typed = draft.value
  const asked = useRef(typed)
  const make = useDo(upsertContact, ({ upsertContact: { id } }) => {
    draft.forget()
    toast(`${asked.current.externalId.trim()} is there`)
    // What was typed meanwhile is a change of it.
    const isAhead = Object.keys(changesOf(asked.current, typed)).length > 0
    if (isAhead) keepInTab(draftKey(id), JSON.stringify({ ...typed, before: asked.current }))
    const search = { edit: isAhead ? "yes" : undefined } as never
    void navigate({ to: "/apps/$appId/contacts/$id", params: { appId, id }, search })
  })
  const leave = () => {
    draft.forget()
    onClose()
  }
  const submit = async () => {
    const externalId = typed.externalId.trim()
    const repeated = repeatedWords(typed)
    if (externalId === "") return setFault("Give the id by which your application knows the person.")
    if (repeated !== null) return setFault(repeated)
    setFault(null)
    // The request would change a contact that is there.
    const there = await ask(known, { appId, externalId }).catch(() => null)
    if (there?.contacts.nodes.length)
      return setFault(`${externalId} is a contact already. Find it in the list, and edit it there.`)
    asked.current = typed
    make.mutate({ appId, input: { externalId, ...inputOf(typed) } })
  }
  return (
    <Dialog title="New contact" className="wide" isKept isChanged={draft.isChanged} onClose={leave}>
      <Form error={make.error} onSubmit={() => void submit()}>
        <TextField
          label="Your own id of the person"
          name="externalId"
          value={typed.externalId}
          onChange={(externalId) => draft.change({ externalId })}
          placeholder="user-42"
          hint="Devices that register with it as user_id are this person's. It cannot be changed later."
          autoFocus
        />
        <Fields typed={typed} change={draft.change} />
        <Fault words={fault} />
        <ErrorNotice error={make.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={make.isPending}>
            Make the contact
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export const EditContact = ({ one, onClose }: { readonly one: Contact; readonly onClose: () => void }) => {
  const [now] = useState(() => typedContact(one))
  const draft = useDraft<Edited>(draftKey(one.id), { ...now, before: now })
  const [fault, setFault] = useState<string | null>(null)
  const leave = () => {
    draft.forget()
    onClose()
  }
  const { before, ...typed } = draft.value
  const asked = useRef<TypedContact>(typed)
  const save = useDo(updateContact, () => {
    toast("Saved")
    // What was typed meanwhile is the next change.
    if (Object.keys(changesOf(asked.current, typed)).length > 0) draft.change({ before: asked.current })
    else leave()
  })
  const submit = async () => {
    const repeated = repeatedWords(typed)
    setFault(repeated)
    if (repeated !== null) return
    if (Object.keys(changesOf(before, typed)).length === 0) return leave()
    const there = await ask(contact, { id: one.id }).catch(() => null)
    const theirs = there?.contact ? typedContact(there.contact) : before
    const isTheSame = Object.keys(changesOf(before, theirs)).length === 0
    const onTop = isTheSame ? { typed, clashes: [] } : rebase(before, typed, theirs)
    // What is typed while the answer is on its way stays, where nobody else has written.
    if (!isTheSame) draft.change({ ...onTop.typed, before: theirs })
    if (onTop.clashes.length > 0) return setFault(clashWords(onTop.clashes))
    const input = changesOf(isTheSame ? before : theirs, onTop.typed)
    if (Object.keys(input).length === 0) return leave()
    asked.current = onTop.typed
    save.mutate({ id: one.id, input })
  }
  return (
    <Dialog title={`Edit ${one.externalId}`} className="wide" isKept isChanged={draft.isChanged} onClose={leave}>
      <Form error={save.error} onSubmit={() => void submit()}>
        <Fields typed={typed} change={draft.change} />
        {typed.email.trim() !== before.email && before.email !== "" && (
          <p className="notice info small">
            The new address takes the place of {before.email}. An address that unsubscribed or bounced stays on record,
            so that nothing goes there by mistake.
          </p>
        )}
        <Fault words={fault} />
        <ErrorNotice error={save.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
