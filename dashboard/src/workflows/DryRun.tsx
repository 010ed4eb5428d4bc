import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import { AreaField, Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Chip, Dialog } from "../parts/page.tsx"
import { Flow } from "./Flow.tsx"
import { dryRun } from "./operations.ts"
import { pathIn } from "./Run.tsx"
import type { Step } from "./steps.ts"
import { RUN } from "./words.ts"

const SAMPLE = '{"tags": [], "attributes": {}}'

/** JSON that may be left out; the fault in words. */
const read = (text: string): { readonly value: unknown } | { readonly fault: string } => {
  if (text.trim() === "") return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}

/** What a person's way would be. Nothing is sent, nothing changed. */
export const DryRun = ({
  id,
  onClose,
  steps
}: {
  readonly id: string
  readonly steps: ReadonlyArray<Step>
  readonly onClose: () => void
}) => {
  const [person, setPerson] = useState("")
  const [contact, setContact] = useState(SAMPLE)
  const [data, setData] = useState("{}")
  const [answers, setAnswers] = useState("")
  const [events, setEvents] = useState("")
  const [fault, setFault] = useState<string | null>(null)
  const trying = useDo(dryRun)
  const tried = trying.data?.rehearseWorkflow
  const go = (): void => {
    const typed = {
      contact: person.trim() === "" ? read(contact) : { value: undefined },
      data: read(data),
      answers: read(answers),
      events: read(events)
    }
    const wrong = Object.entries(typed).find(([, one]) => "fault" in one)
    if (wrong !== undefined)
      return setFault(`${wrong[0]} is no JSON: ${(wrong[1] as { readonly fault: string }).fault}`)
    setFault(null)
    const given = Object.fromEntries(
      Object.entries(typed).flatMap(([name, one]) =>
        "value" in one && one.value !== undefined ? [[name, one.value] as const] : []
      )
    )
    trying.mutate({ id, input: { ...given, ...(person.trim() === "" ? {} : { userId: person.trim() }) } })
  }
  return (
    <Dialog title="Dry run" onClose={onClose} className="wide">
      <Form error={trying.error} onSubmit={go}>
        <p className="muted">Of the saved version. Nothing is sent, nothing is changed.</p>
        <TextField
          label="Person, by your own id"
          name="userId"
          value={person}
          onChange={setPerson}
          hint="Left empty: somebody made up, as below."
        />
        {person.trim() === "" && (
          <AreaField
            label="Somebody made up"
            name="contact"
            value={contact}
            onChange={setContact}
            rows={2}
            spellCheck={false}
          />
        )}
        <AreaField
          label="What the trigger brings"
          name="data"
          value={data}
          onChange={setData}
          rows={2}
          spellCheck={false}
        />
        <details>
          <summary>What servers answer, and events that come</summary>
          <AreaField
            label="Answers of FETCH steps, by key"
            name="answers"
            value={answers}
            onChange={setAnswers}
            rows={2}
            spellCheck={false}
            placeholder='{"ask": {"status": 200, "body": {}}}'
          />
          <AreaField
            label="Events that WAIT_FOR steps hear, by key"
            name="events"
            value={events}
            onChange={setEvents}
            rows={2}
            spellCheck={false}
          />
        </details>
        {fault && (
          <p className="fault" role="alert">
            {fault}
          </p>
        )}
        <ErrorNotice error={trying.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="primary" isBusy={trying.isPending}>
            Try it
          </Button>
        </div>
      </Form>
      {tried && (
        <div role="status">
          <p>
            It would end as <Chip tone={RUN[tried.status][1]}>{RUN[tried.status][0]}</Chip> {tried.error}
          </p>
          <Flow steps={steps} path={pathIn(tried.history)} />
          {tried.messages.map(({ content, key, problem }) => (
            <section key={key} className="flow-message">
              <h3>
                What <code>{key}</code> sends
              </h3>
              {problem !== null && <p className="fault">{problem}</p>}
              {content && (
                <p>
                  <strong>{content.title ?? content.subject}</strong> {content.body}
                </p>
              )}
            </section>
          ))}
        </div>
      )}
    </Dialog>
  )
}
