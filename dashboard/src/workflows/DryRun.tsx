import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Previews } from "../compose/Previews.tsx"
import { Attributes, DATA } from "../contacts/Attributes.tsx"
import { PersonField, usePeople } from "../contacts/PersonField.tsx"
import { useApp } from "../frame/viewer.ts"
import { AreaField, Button, Check, Choice, ErrorNotice, Form, SelectField, TextField } from "../parts/form.tsx"
import { Chip, Dialog } from "../parts/page.tsx"
import { Flow } from "./Flow.tsx"
import type { DryRunQuery } from "./operations.ts"
import { dryRun } from "./operations.ts"
import type { Rehearsal } from "./rehearsal.ts"
import { dataAs, EMPTY, faultIn, fieldsOf, objectFault, REACHED, requestOf } from "./rehearsal.ts"
import { pathIn } from "./Run.tsx"
import type { Step } from "./steps.ts"
import { inOrder } from "./steps.ts"
import { RUN } from "./words.ts"

type Message = DryRunQuery["rehearseWorkflow"]["messages"][number]

interface PartProps {
  readonly typed: Rehearsal
  readonly change: (changes: Partial<Rehearsal>) => void
  readonly steps: ReadonlyArray<Step>
}

const nameOf = ({ key, name }: Step): string => name ?? key

const Who = ({ change, found, typed }: Omit<PartProps, "steps"> & { readonly found: ReturnType<typeof usePeople> }) => (
  <>
    <Choice
      label="Whose way"
      value={typed.who}
      onChange={(who) => change({ who })}
      options={[
        ["contact", "A contact's"],
        ["sample", "That of somebody made up"]
      ]}
    />
    {typed.who === "contact" ? (
      <PersonField
        label="Contact"
        name="userId"
        value={typed.person}
        onChange={(person) => change({ person })}
        found={found}
      />
    ) : (
      <>
        <TextField
          label="Their tags"
          name="contact.tags"
          value={typed.tags}
          onChange={(tags) => change({ tags })}
          placeholder="vip, news"
          hint="Divided by commas."
        />
        <div className="grid two">
          <TextField
            label="Their language"
            name="contact.locale"
            value={typed.locale}
            onChange={(locale) => change({ locale })}
            placeholder="de-AT"
          />
          <TextField
            label="Their time zone"
            name="contact.timezone"
            value={typed.timezone}
            onChange={(timezone) => change({ timezone })}
            placeholder="Europe/Vienna"
          />
        </div>
        <Attributes rows={typed.attributes} onChange={(attributes) => change({ attributes })} />
      </>
    )}
  </>
)

const Brought = ({ change, steps, typed }: PartProps) => {
  const [isStuck, setStuck] = useState(false)
  const turn = (as: Rehearsal["dataAs"]): void => {
    const changes = dataAs(typed, steps, as)
    setStuck(changes === null)
    if (changes !== null) change(changes)
  }
  return (
    <>
      <Choice
        label="What the trigger brings, as"
        value={typed.dataAs}
        onChange={turn}
        options={[
          ["fields", "Fields"],
          ["json", "JSON"]
        ]}
      />
      {typed.dataAs === "fields" ? (
        <Attributes rows={fieldsOf(typed, steps)} onChange={(fields) => change({ fields })} words={DATA} />
      ) : (
        <AreaField
          label="What the trigger brings"
          name="data"
          value={typed.json}
          onChange={(json) => change({ json })}
          rows={4}
          spellCheck={false}
          placeholder='{"total": 150}'
        />
      )}
      {isStuck && typed.dataAs === "json" && (
        <p className="fault" role="alert">
          {objectFault("What the trigger brings", typed.json)}
        </p>
      )}
    </>
  )
}

/** What the world does meanwhile: nothing is asked, sent or waited for. */
const MadeUp = ({ change, steps, typed }: PartProps) => {
  const asked = inOrder(steps).filter(({ type }) => type === "SEND" || type === "FETCH" || type === "WAIT_FOR")
  if (asked.length === 0) return null
  return (
    <details>
      <summary>What becomes of messages, servers and events meanwhile</summary>
      <div className="stack">
        {asked.map((step) => {
          const { key, type } = step
          if (type === "SEND") {
            return (
              <SelectField
                key={key}
                label={`The message of ${nameOf(step)}`}
                name={`outcomes.${key}`}
                value={typed.outcomes[key] ?? "sent"}
                onChange={(reached) => change({ outcomes: { ...typed.outcomes, [key]: reached } })}
                options={REACHED}
              />
            )
          }
          if (type === "FETCH") {
            const answer = typed.answers[key] ?? { status: "", body: "" }
            const set = (changes: Partial<typeof answer>) =>
              change({ answers: { ...typed.answers, [key]: { ...answer, ...changes } } })
            return (
              <fieldset key={key} className="condition-group">
                <legend>The server answers {nameOf(step)}</legend>
                <TextField
                  label="Status"
                  inputMode="numeric"
                  value={answer.status}
                  onChange={(status) => set({ status })}
                  placeholder="200"
                />
                <AreaField
                  label="Body"
                  value={answer.body}
                  onChange={(body) => set({ body })}
                  rows={2}
                  spellCheck={false}
                  placeholder='{"vip": true}'
                />
              </fieldset>
            )
          }
          const event = typed.events[key]
          return (
            <fieldset key={key} className="condition-group">
              <legend>The event of {nameOf(step)}</legend>
              <Check
                label="It comes in time"
                isChecked={event !== undefined}
                onChange={(comes) => {
                  const { [key]: _, ...rest } = typed.events
                  change({ events: comes ? { ...rest, [key]: "" } : rest })
                }}
              />
              {event !== undefined && (
                <AreaField
                  label="What it brings, as JSON"
                  value={event}
                  onChange={(text) => change({ events: { ...typed.events, [key]: text } })}
                  rows={2}
                  spellCheck={false}
                  placeholder='{"order": 42}'
                />
              )}
            </fieldset>
          )
        })}
      </div>
    </details>
  )
}

/** The providers by whose looks a message of these ways is shown. */
const LOOKS = { push: ["APNS", "FCM", "WEBPUSH"], email: ["SMTP"], inbox: ["INBOX"] } as const

const waysOf = (step: Step, { html, subject }: NonNullable<Message["content"]>): ReadonlyArray<keyof typeof LOOKS> =>
  (step["channels"] as ReadonlyArray<keyof typeof LOOKS> | undefined) ??
  (subject !== null || html !== null ? ["push", "email"] : ["push"])

/** What a SEND step would say, as people would see it. */
const Tried = ({ message: { content, problem }, step }: { readonly message: Message; readonly step: Step }) => {
  const { application } = useApp()
  return (
    <div className="flow-message">
      {problem !== null && <p className="fault">The message cannot be filled: {problem}.</p>}
      {content && (
        <>
          <Previews
            app={application.name}
            samples={
              new Map(waysOf(step, content).flatMap((way) => LOOKS[way].map((look) => [look, content] as const)))
            }
          />
          {content.url !== null && (
            <p className="small">
              It leads to <code>{content.url}</code>
            </p>
          )}
          {content.data !== null && <pre className="snippet">{JSON.stringify(content.data, null, 2)}</pre>}
        </>
      )}
    </div>
  )
}

const Result = ({
  steps,
  tried
}: {
  readonly tried: DryRunQuery["rehearseWorkflow"]
  readonly steps: ReadonlyArray<Step>
}) => {
  const path = pathIn(tried.history)
  const all = inOrder(steps)
  const shown = new Map(
    [...path].map(([order, decisions]) => {
      const step = all[order - 1]
      const own = tried.messages.filter(({ key }) => key === step?.key)
      return [
        order,
        <div key={order}>
          {decisions}
          {step && own.map((message, i) => <Tried key={i} message={message} step={step} />)}
        </div>
      ]
    })
  )
  return (
    <section aria-label="What came of it">
      <p role="status">
        It would end as <Chip tone={RUN[tried.status][1]}>{RUN[tried.status][0]}</Chip> {tried.error}
      </p>
      <Flow steps={steps} path={shown} />
    </section>
  )
}

/** What a person's way would be. Nothing is sent, nothing changed. What is typed is the page's, which keeps it. */
export const DryRun = ({
  change,
  id,
  onClose,
  onEmpty,
  steps,
  typed
}: PartProps & { readonly id: string; readonly onClose: () => void; readonly onEmpty: () => void }) => {
  const [fault, setFault] = useState<string | null>(null)
  const trying = useDo(dryRun)
  const found = usePeople(typed.who === "contact" ? typed.person : "")
  const go = (): void => {
    // Whoever types an address that only one person has means that person.
    const [only, ...others] = found.people
    const userId =
      found.picked === null && only && others.length === 0 && found.wanted.includes("@")
        ? only.externalId
        : found.wanted
    const wrong = faultIn(typed, steps, userId)
    setFault(wrong)
    if (wrong === null) trying.mutate({ id, input: requestOf(typed, steps, userId) })
  }
  const { isOpen: _, ...rest } = typed
  const { isOpen: __, ...nothing } = EMPTY
  return (
    <Dialog title="Dry run" isKept onClose={onClose} className="wide">
      {/* Closing drops nothing that was typed: the dialog need not hear of it, and ask. */}
      <div onInput={(event) => event.stopPropagation()}>
        <Form error={trying.error} onSubmit={go}>
          <p className="muted">Of the saved version. Nothing is sent, nothing is changed, and nobody waits.</p>
          <Who typed={typed} change={change} found={found} />
          <Brought typed={typed} change={change} steps={steps} />
          <MadeUp typed={typed} change={change} steps={steps} />
          {fault && (
            <p className="fault" role="alert">
              {fault}
            </p>
          )}
          <ErrorNotice error={trying.error} />
          <div className="dialog-actions">
            {JSON.stringify(rest) !== JSON.stringify(nothing) && (
              <Button kind="quiet" onClick={onEmpty}>
                Empty the form
              </Button>
            )}
            <Button onClick={onClose}>Close</Button>
            <Button type="submit" kind="primary" isBusy={trying.isPending}>
              Try it
            </Button>
          </div>
        </Form>
      </div>
      {trying.data && <Result tried={trying.data.rehearseWorkflow} steps={steps} />}
    </Dialog>
  )
}
