import { useRef, useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Button, Check, Choice, ErrorNotice, Form, keepInTab, TextField, useDraft } from "../parts/form.tsx"
import { Dialog, GoBack, Secret } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import type { HookChanges } from "./operations.ts"
import { createHook, updateHook } from "./operations.ts"
import { newSecret } from "./secret.ts"
import type { Hook } from "./words.ts"
import { EVENTS, GROUPS } from "./words.ts"

interface Draft {
  readonly name: string
  readonly url: string
  readonly wants: "everything" | "some"
  readonly events: ReadonlyArray<string>
}

const Events = ({
  chosen,
  onChange
}: {
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}) =>
  GROUPS.map(([words, prefix]) => (
    <fieldset key={prefix} className="stack tight">
      <legend>{words}</legend>
      {Object.entries(EVENTS)
        .filter(([event]) => event.startsWith(prefix))
        .map(([event, [name, happens]]) => (
          <Check
            key={event}
            label={name}
            hint={`${happens}.`}
            isChecked={chosen.includes(event)}
            onChange={(isChecked) =>
              onChange(isChecked ? [...chosen, event] : chosen.filter((other) => other !== event))
            }
          />
        ))}
    </fieldset>
  ))

/** The fields that both making and changing have. */
const Fields = ({
  change,
  fault,
  value
}: {
  readonly value: Draft
  readonly change: (changes: Partial<Draft>) => void
  readonly fault: string | null
}) => (
  <>
    <TextField
      label="Name"
      name="name"
      value={value.name}
      onChange={(name) => change({ name })}
      placeholder="Shop server"
      autoFocus
    />
    <TextField
      label="Address"
      name="url"
      type="url"
      value={value.url}
      onChange={(url) => change({ url })}
      hint="A public http or https address of yours."
      placeholder="https://shop.example.com/events"
      spellCheck={false}
      autoComplete="off"
    />
    <Choice
      label="What it is told"
      value={value.wants}
      onChange={(wants) => change({ wants })}
      options={[
        ["everything", "Everything"],
        ["some", "Only these"]
      ]}
    />
    {value.wants === "some" && <Events chosen={value.events} onChange={(events) => change({ events })} />}
    {fault && <p className="fault">{fault}</p>}
  </>
)

const draftOf = (now: Hook | null): Draft => ({
  name: now?.name ?? "",
  url: now?.url ?? "",
  wants: now === null || now.events.length === 0 ? "everything" : "some",
  events: now?.events ?? []
})

/** What is wanted, as the service takes it; null when nothing is chosen, which would mean everything. */
const eventsOf = ({ events, wants }: Draft): ReadonlyArray<string> | null =>
  wants === "everything" ? [] : events.length === 0 ? null : events

/** With the webhook as it was when typing began: a draft outlives a reload, which shows what others changed meanwhile. */
interface Edited extends Draft {
  readonly before: Draft
}

/** What differs from the webhook as it was: whatever others change beside it stays. */
const changesOf = ({ before, name, url }: Edited, events: ReadonlyArray<string>): HookChanges => ({
  ...(name !== before.name && { name }),
  ...(url !== before.url && { url }),
  ...(JSON.stringify(events) !== JSON.stringify(eventsOf(before)) && { events })
})

const draftKey = (id: string): string => `webhook ${id}`

const isSame = (one: Draft, other: Draft): boolean =>
  one.name === other.name && one.url === other.url && JSON.stringify(eventsOf(one)) === JSON.stringify(eventsOf(other))

const NOTHING_CHOSEN = "Choose at least one event, or everything."

/** A new webhook, and its secret, which is shown this once. */
export const NewHook = ({ appId, onClose }: { readonly appId: string; readonly onClose: (id?: string) => void }) => {
  const { change, forget, isChanged, value } = useDraft<Draft>(`webhook ${appId}`, draftOf(null))
  const [signing, setSigning] = useState<"made" | "none">("made")
  const [secret] = useState(newSecret)
  const [fault, setFault] = useState<string | null>(null)
  const [made, setMade] = useState<{ readonly id: string; readonly name: string; readonly isSigned: boolean } | null>(
    null
  )
  const asked = useRef(value)
  const create = useDo(
    createHook,
    ({ createHook }) => {
      forget()
      if (!isSame(value, asked.current)) {
        keepInTab(draftKey(createHook.id), JSON.stringify({ ...value, before: asked.current }))
        toast("What you typed while it was being made waits under Change")
      }
      if (createHook.isSigned) setMade(createHook)
      else onClose(createHook.id)
    },
    { once: true }
  )
  if (made !== null) {
    return (
      <Dialog title={`The secret of ${made.name}`}>
        <div className="notice warning">
          <p>Copy it now: it is shown this once. With it your server checks that a request came from here.</p>
        </div>
        <Secret label="Signing secret, for your receiver" value={secret} />
        <div className="dialog-actions">
          <Button kind="primary" onClick={() => onClose(made.id)}>
            I have it
          </Button>
        </div>
      </Dialog>
    )
  }
  const leave = (): void => {
    forget()
    onClose()
  }
  const save = (): void => {
    const events = eventsOf(value)
    setFault(events === null ? NOTHING_CHOSEN : null)
    if (events === null) return
    const { name, url } = value
    asked.current = value
    create.mutate({ appId, input: { name, url, events, ...(signing === "made" ? { secret } : {}) } })
  }
  return (
    <Dialog title="New webhook" isKept isChanged={isChanged} onClose={leave} className="wide">
      <Form error={create.error} onSubmit={save}>
        <Fields value={value} change={change} fault={fault} />
        <Choice
          label="Signature"
          value={signing}
          onChange={setSigning}
          options={[
            ["made", "Signed, with a secret made here"],
            ["none", "Not signed"]
          ]}
        />
        {signing === "none" && (
          <p className="notice warning">
            Anybody who learns the address can then send it events that never happened. A secret can be added later.
          </p>
        )}
        <ErrorNotice error={create.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            Make it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

export const EditHook = ({ now, onClose }: { readonly now: Hook; readonly onClose: () => void }) => {
  const [initial] = useState<Edited>(() => ({ ...draftOf(now), before: draftOf(now) }))
  const { change, forget, isChanged, value } = useDraft(draftKey(now.id), initial)
  const [fault, setFault] = useState<string | null>(null)
  const close = () => {
    forget()
    onClose()
  }
  const asked = useRef<Draft>(value)
  const update = useDo(updateHook, () => {
    toast("Saved: it counts from the next attempt on")
    // What was typed meanwhile is the next change.
    if (isSame(value, asked.current)) close()
    else change({ before: asked.current })
  })
  const save = (): void => {
    const events = eventsOf(value)
    setFault(events === null ? NOTHING_CHOSEN : null)
    if (events === null) return
    const input = changesOf(value, events)
    if (Object.keys(input).length === 0) return close()
    asked.current = value
    update.mutate({ id: now.id, input })
  }
  return (
    <Dialog title={`Change ${now.name}`} isKept isChanged={isChanged} onClose={close} className="wide">
      <Form error={update.error} onSubmit={save}>
        <Fields value={value} change={change} fault={fault} />
        <ErrorNotice error={update.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={update.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
