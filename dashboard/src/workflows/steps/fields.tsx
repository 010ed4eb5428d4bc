import { useId, useState } from "react"
import { valueOf } from "../../contacts/attributes.ts"
import { AreaField, TextField } from "../../parts/form.tsx"
import { listOf } from "../../segments/conditions.ts"
import { secondsOf, spanWords } from "../span.ts"
import type { Step } from "../steps.ts"

/*
 * Fields over the JSON of a step. Each keeps its text as it is typed; what cannot be read goes into the JSON as a text, so
 * that nothing typed is lost, and the step is not taken before it was mended (gaps.ts).
 */

export interface StepFormProps {
  readonly step: Step
  /** Lays values over the step; undefined takes one away. */
  readonly change: (changes: Readonly<Record<string, unknown>>) => void
  /** The steps that stand before, whose messages and answers can be asked about. */
  readonly earlier: ReadonlyArray<Step>
  readonly error: unknown
}

/** What a field of a step is called in what is said of it: apart from fields of the same name further inside. */
export const nameIn = (field: string): string => (field.startsWith("trigger.") ? field : `step.${field}`)

interface FieldProps {
  readonly label: string
  /** Its path in the step. */
  readonly field: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly hint?: string
  readonly placeholder?: string
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)

/** A text; left empty, there is none. */
export const TextOf = ({ field, onChange, value, ...rest }: FieldProps & { readonly type?: string }) => (
  <TextField
    {...rest}
    name={nameIn(field)}
    value={textOf(value)}
    onChange={(text) => onChange(text === "" ? undefined : text)}
  />
)

export const AreaOf = ({ field, onChange, value, ...rest }: FieldProps & { readonly rows?: number }) => (
  <AreaField
    {...rest}
    name={nameIn(field)}
    value={textOf(value)}
    onChange={(text) => onChange(text === "" ? undefined : text)}
  />
)

/** A length of time in words, of which the step has the seconds. */
export const SpanOf = ({ field, hint, onChange, value, ...rest }: FieldProps) => {
  const [text, setText] = useState(() => (typeof value === "number" ? spanWords(value) : textOf(value)))
  return (
    <TextField
      {...rest}
      name={nameIn(field)}
      value={text}
      hint={hint ?? "As 3 days 2 hours, or 90 min."}
      onChange={(typed) => {
        setText(typed)
        onChange(typed.trim() === "" ? undefined : (secondsOf(typed) ?? typed))
      }}
      onBlur={() => {
        const seconds = secondsOf(text)
        if (seconds !== null) setText(spanWords(seconds))
      }}
    />
  )
}

/** A whole number. */
export const NumberOf = ({ field, onChange, value, ...rest }: FieldProps) => (
  <TextField
    {...rest}
    name={nameIn(field)}
    inputMode="numeric"
    value={textOf(value)}
    onChange={(typed) => {
      const text = typed.trim()
      onChange(text === "" ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : typed)
    }}
  />
)

/** A list of texts without commas. */
export const ListOf = ({ field, onChange, value, ...rest }: FieldProps) => {
  const [text, setText] = useState(() => (Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)))
  return (
    <TextField
      {...rest}
      name={nameIn(field)}
      value={text}
      onChange={(typed) => {
        setText(typed)
        const all = listOf(typed)
        onChange(all.length === 0 ? undefined : all)
      }}
    />
  )
}

/** Any JSON. */
export const JsonOf = ({ field, hint, onChange, value, ...rest }: FieldProps & { readonly rows?: number }) => {
  const [text, setText] = useState(() =>
    value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2)
  )
  return (
    <AreaField
      {...rest}
      name={nameIn(field)}
      value={text}
      spellCheck={false}
      hint={hint}
      onChange={(typed) => {
        setText(typed)
        onChange(typed.trim() === "" ? undefined : valueOf(typed))
      }}
    />
  )
}

const ZONES = Intl.supportedValuesOf("timeZone")

/** An IANA time zone, with those that the browser knows to choose from. */
export const ZoneOf = ({ field, onChange, value, ...rest }: FieldProps) => {
  const id = useId()
  return (
    <>
      <TextField
        placeholder="Europe/Berlin"
        {...rest}
        name={nameIn(field)}
        list={id}
        value={textOf(value)}
        onChange={(text) => onChange(text === "" ? undefined : text)}
      />
      <datalist id={id}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}
