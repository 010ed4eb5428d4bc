import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useMemo, useRef, useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, SelectField, TextField, useDraft } from "../parts/form.tsx"
import { Card, Dialog, GoBack } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { Differences } from "./Differences.tsx"
import type { Template, TemplateDraft } from "./draft.ts"
import { changeTemplate } from "./operations.ts"
import { NOBODY, Preview, usePerson, variablesOf } from "./Preview.tsx"
import { faultsIn, inputOf } from "./sources.ts"
import { Texts } from "./Texts.tsx"
import { useTrying } from "./trying.ts"

/** Somebody else has saved a version since this one was opened: nothing of either is lost. */
const Overtaken = ({
  draft,
  isBusy,
  onDrop,
  onSave,
  one
}: {
  readonly one: Template
  readonly draft: TemplateDraft
  readonly isBusy: boolean
  readonly onSave: () => void
  readonly onDrop: () => void
}) => {
  const [isComparing, setComparing] = useState(false)
  return (
    <div className="notice warning" role="alert">
      <p>
        <strong>
          Somebody else has saved version {one.version} while you edited version {draft.version}.
        </strong>{" "}
        What you typed is kept, and theirs stays among the versions whatever you do.
      </p>
      <div className="actions">
        <Button onClick={() => setComparing(true)}>Compare theirs with yours</Button>
        <Button onClick={onDrop}>Take theirs</Button>
        <Button kind="primary" isBusy={isBusy} onClick={onSave}>
          Save yours as version {one.version + 1}
        </Button>
      </div>
      {isComparing && (
        <Dialog title={`From version ${one.version} to yours`} className="wide" onClose={() => setComparing(false)}>
          <Differences before={draft.saved} after={draft.sources} />
          <div className="dialog-actions">
            <GoBack />
          </div>
        </Dialog>
      )}
    </div>
  )
}

/** The texts with their preview; for those who may, to be changed. */
export const Editor = ({
  draft,
  onOvertaken,
  one
}: {
  readonly one: Template
  readonly draft: TemplateDraft
  /** The service has a later version than this page knows. */
  readonly onOvertaken: () => void
}) => {
  const { appId, may } = useApp()
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as { readonly language?: string }
  const { sources } = draft
  const languages = Object.keys(sources.locales)
  const language = search.language !== undefined && languages.includes(search.language) ? search.language : null
  const isReadOnly = !may("CHANGE_TEMPLATES")
  const isOvertaken = draft.isChanged && one.version > draft.version

  const { change: changeExample, value: example } = useDraft(`template example ${one.id}`, NOBODY)
  const person = usePerson(example.person)
  const { faults: ownFaults, input } = useMemo(() => inputOf(sources), [sources])
  const variables = variablesOf(example.variables)
  const { name: _, ...asked } = input
  const locale = example.language === "default" ? null : example.language === "" ? language : example.language
  const isTheirs = Boolean(person) && example.language === ""
  const trying = useTrying(
    appId,
    ownFaults.length > 0 || variables.fault !== null || person === undefined
      ? null
      : {
          ...asked,
          ...(variables.value !== undefined && { variables: variables.value }),
          ...(person && { contactId: person.id }),
          ...(!isTheirs && { locale })
        }
  )

  const sent = useRef(sources)
  const save = useDo(changeTemplate, ({ updateTemplate }) => {
    toast(`Saved as version ${updateTemplate.version}`)
    draft.settle(updateTemplate, sent.current)
  })
  const saveOver = (version: number): void => {
    if (ownFaults.length > 0) return
    sent.current = sources
    save.mutate({ id: one.id, input: { version, ...input } })
  }
  const drop = (): void => {
    save.reset()
    draft.drop()
  }
  const isConflict = save.error instanceof Refusal && save.error.code === "conflict"
  useEffect(() => {
    if (isConflict) onOvertaken()
  }, [isConflict, onOvertaken])
  const refused = useMemo(() => (save.error instanceof Refusal ? faultsIn(save.error.details) : []), [save.error])
  const faults = useMemo(
    () => [...ownFaults, ...(trying.faults.length > 0 || trying.filled !== null ? trying.faults : refused)],
    [ownFaults, trying.faults, trying.filled, refused]
  )

  const texts = (
    <Texts
      sources={sources}
      change={draft.change}
      faults={faults}
      isReadOnly={isReadOnly}
      language={language}
      onLanguage={(language) =>
        void navigate({
          to: ".",
          search: ((before: object) => ({ ...before, language: language ?? undefined })) as never,
          replace: true,
          resetScroll: false
        })
      }
    />
  )
  return (
    <div className="compose">
      {isReadOnly ? (
        <div className="stack">{texts}</div>
      ) : (
        <Form className="compose-form" error={save.error} onSubmit={() => saveOver(draft.version)}>
          <Card title="Template">
            <div className="grid two">
              <TextField
                label="Name"
                name="name"
                value={sources.name}
                onChange={(name) => draft.change(() => ({ name }))}
              />
              <SelectField
                label="Where a variable is missing"
                value={sources.missing}
                onChange={(missing) => draft.change(() => ({ missing }))}
                options={[
                  ["ERROR", "Do not send to that recipient"],
                  ["EMPTY", "Leave the place empty"]
                ]}
              />
            </div>
          </Card>
          {texts}
          {isOvertaken ? (
            <Overtaken
              one={one}
              draft={draft}
              isBusy={save.isPending}
              onDrop={drop}
              onSave={() => saveOver(one.version)}
            />
          ) : (
            <ErrorNotice error={isConflict ? null : save.error} />
          )}
          <div className="actions">
            {draft.isChanged && <span className="muted small">Not saved yet; kept in this tab.</span>}
            {draft.isChanged && <Button onClick={drop}>Discard</Button>}
            {!isOvertaken && (
              <Button type="submit" kind="primary" isBusy={save.isPending}>
                {draft.isChanged ? `Save as version ${one.version + 1}` : "Save"}
              </Button>
            )}
          </div>
          <p className="small muted">
            Notifications that were accepted before, scheduled ones too, keep what they were accepted with.{" "}
            <Link to="/apps/$appId/compose" params={{ appId }}>
              Write a notification
            </Link>
          </p>
        </Form>
      )}
      <aside className="compose-side" aria-label="Preview">
        <Preview
          example={example}
          change={changeExample}
          person={person}
          languages={languages}
          edited={language}
          trying={trying}
        />
      </aside>
    </div>
  )
}
