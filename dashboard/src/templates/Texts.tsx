import { useState } from "react"
import { createPortal } from "react-dom"
import { Button, Choice, Form, TextField } from "../parts/form.tsx"
import { Card, Confirm, Dialog, GoBack } from "../parts/page.tsx"
import { SourceField } from "./Field.tsx"
import type { Fault, Part, Sources } from "./sources.ts"
import { PART, PARTS, partsOf, placeOf } from "./sources.ts"

const KIND: Readonly<Record<Part, "line" | "text" | "html">> = {
  title: "line",
  body: "text",
  subject: "line",
  html: "html",
  url: "line",
  image: "line",
  data: "text"
}

/** A language tag as it is written, such as `pt-BR`; null where it is none. */
const tagOf = (text: string): string | null => {
  try {
    return Intl.getCanonicalLocales(text.trim())[0] ?? null
  } catch {
    return null
  }
}

const NewLanguage = ({
  languages,
  onAdd,
  onClose
}: {
  readonly languages: ReadonlyArray<string>
  readonly onAdd: (language: string) => void
  readonly onClose: () => void
}) => {
  const [text, setText] = useState("")
  const [fault, setFault] = useState<string | null>(null)
  const add = (): void => {
    const tag = tagOf(text)
    if (tag === null) return setFault("must be a language tag, such as de or pt-BR")
    if (languages.some((one) => one.toLowerCase() === tag.toLowerCase())) return setFault("is there already")
    onAdd(tag)
  }
  return (
    <Dialog title="Add a language" onClose={onClose}>
      <Form onSubmit={add}>
        <TextField
          label="Language"
          value={text}
          onChange={setText}
          autoFocus
          placeholder="de"
          fault={fault}
          hint="A contact in pt-BR gets pt-BR, else pt, else the default; what a language leaves out comes from there."
        />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary">
            Add it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** The texts of a template: the default, and a language beside it. */
export const Texts = ({
  change,
  faults,
  isReadOnly,
  language,
  onLanguage,
  sources
}: {
  readonly sources: Sources
  readonly change: (changeOf: (before: Sources) => Partial<Sources>) => void
  readonly faults: ReadonlyArray<Fault>
  readonly isReadOnly: boolean
  readonly language: string | null
  readonly onLanguage: (language: string | null) => void
}) => {
  const [opened, setOpened] = useState<ReadonlyArray<Part>>([])
  const [asked, setAsked] = useState<"add" | "remove" | null>(null)
  const parts = partsOf(sources, opened)
  const left = PARTS.filter((part) => !parts.includes(part))
  const languages = Object.keys(sources.locales)
  const write = (part: Part, of: string | null, text: string): void => {
    // A field that is emptied stays where it is.
    setOpened((before) => (before.includes(part) ? before : [...before, part]))
    change(({ content, locales }) =>
      of === null
        ? { content: { ...content, [part]: text } }
        : { locales: { ...locales, [of]: { ...locales[of], [part]: text } } }
    )
  }
  const fieldOf = (part: Part, of: string | null) => (
    <SourceField
      key={of ?? ""}
      label={PART[part]}
      language={of ?? (language === null ? null : "default")}
      kind={KIND[part]}
      value={(of === null ? sources.content : sources.locales[of]!)[part] ?? ""}
      placeholder={of === null ? "" : (sources.content[part] ?? "")}
      isReadOnly={isReadOnly}
      faults={faults.filter((fault) => fault.part === part && fault.place === placeOf(of))}
      onChange={(text) => write(part, of, text)}
    />
  )
  /** Faults that stand in a language which is not shown. */
  const elsewhere = languages.filter((one) => one !== language && faults.some(({ place }) => place === placeOf(one)))
  const asking =
    asked === "add" ? (
      <NewLanguage
        languages={languages}
        onClose={() => setAsked(null)}
        onAdd={(tag) => {
          change(({ locales }) => ({ locales: { ...locales, [tag]: {} } }))
          onLanguage(tag)
          setAsked(null)
        }}
      />
    ) : asked === "remove" && language !== null ? (
      <Confirm
        title={`Remove ${language}?`}
        words={`Remove ${language}`}
        isBusy={false}
        onClose={() => setAsked(null)}
        onConfirm={() => {
          change(({ locales }) => ({
            locales: Object.fromEntries(Object.entries(locales).filter(([one]) => one !== language))
          }))
          onLanguage(null)
          setAsked(null)
        }}
      >
        <p>Its texts go when you save. Who speaks it gets the default from then on.</p>
      </Confirm>
    ) : null
  return (
    <Card title="Texts" actions={!isReadOnly && <Button onClick={() => setAsked("add")}>Add a language…</Button>}>
      {languages.length > 0 && (
        <div className="languages">
          <Choice
            label="Beside the default"
            value={language ?? ""}
            onChange={(one) => onLanguage(one === "" ? null : one)}
            options={[["", "Nothing"], ...languages.map((one) => [one, one] as const)]}
          />
          {language !== null && !isReadOnly && (
            <Button kind="quiet" onClick={() => setAsked("remove")}>
              Remove {language}…
            </Button>
          )}
        </div>
      )}
      {elsewhere.map((one) => (
        <p key={one} className="fault">
          There is a fault in {one}.{" "}
          <button type="button" className="fault-place" onClick={() => onLanguage(one)}>
            Show {one}
          </button>
        </p>
      ))}
      {parts.map((part) => (
        <div key={part} className={language === null ? "grid" : "grid two"}>
          {fieldOf(part, null)}
          {language !== null && fieldOf(part, language)}
        </div>
      ))}
      {!isReadOnly && left.length > 0 && (
        <label className="adder">
          Add a part
          <select
            value=""
            onChange={({ target }) => {
              if (target.value !== "") setOpened([...opened, target.value as Part])
            }}
          >
            <option value="">Choose which</option>
            {left.map((part) => (
              <option key={part} value={part}>
                {PART[part]}
              </option>
            ))}
          </select>
        </label>
      )}
      {!isReadOnly && (
        <p className="small muted">
          <code>{"{{ name }}"}</code> is a variable of the request, <code>{"{{ contact.attributes.name }}"}</code> of
          the person; <code>{"{% if … %}"}</code> and <code>{"{% for … %}"}</code> as in Liquid. What is left empty is
          left out.
        </p>
      )}
      {/* A dialog has a form of its own, which cannot stand in this one. */}
      {asking !== null && createPortal(asking, document.body)}
    </Card>
  )
}
