import { useId } from "react"
import { Button } from "../parts/form.tsx"
import type { TypedAttribute } from "./attributes.ts"
import { faultOf } from "./attributes.ts"

interface Words {
  readonly all: string
  readonly one: string
  readonly add: string
  readonly hint: string
}

const VALUES = "Numbers, true, false and lists as JSON has them; everything else is a text."

const ATTRIBUTES: Words = { all: "Attributes", one: "attribute", add: "Add an attribute", hint: VALUES }
export const DATA: Words = {
  all: "What the trigger brings",
  one: "field",
  add: "Add a field",
  hint: `A name such as order.total is inside order; without a value, it is not brought. ${VALUES}`
}

/** A value with what is wrong with it beside it: its form is not sent meanwhile. */
const Value = ({
  label,
  onChange,
  value
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}) => {
  const id = useId()
  const fault = faultOf(value)
  return (
    <>
      <input
        ref={(input) => input?.setCustomValidity(fault ?? "")}
        aria-label={label}
        aria-invalid={fault === null ? undefined : true}
        aria-describedby={fault === null ? undefined : id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder="pro"
      />
      {fault !== null && (
        <p id={id} className="fault">
          {fault}
        </p>
      )}
    </>
  )
}

/** Rows of names and values: attributes of a person, unless other words say what they are. */
export const Attributes = ({
  onChange,
  rows,
  words = ATTRIBUTES
}: {
  readonly rows: ReadonlyArray<TypedAttribute>
  readonly onChange: (rows: ReadonlyArray<TypedAttribute>) => void
  readonly words?: Words
}) => {
  const set = (at: number, change: Partial<TypedAttribute>) =>
    onChange(rows.map((row, i) => (i === at ? { ...row, ...change } : row)))
  return (
    <fieldset className="rows">
      <legend>{words.all}</legend>
      {rows.map(({ name, value }, i) => (
        <div key={i} className="row">
          <input
            aria-label={`Name of ${words.one} ${i + 1}`}
            value={name}
            onChange={(event) => set(i, { name: event.target.value })}
            placeholder="plan"
          />
          <Value
            label={`Value of ${name || `${words.one} ${i + 1}`}`}
            value={value}
            onChange={(value) => set(i, { value })}
          />
          <Button
            kind="quiet"
            aria-label={`Remove ${name || `${words.one} ${i + 1}`}`}
            onClick={() => onChange(rows.filter((_, j) => j !== i))}
          >
            ✕
          </Button>
        </div>
      ))}
      <Button onClick={() => onChange([...rows, { name: "", value: "" }])}>{words.add}</Button>
      <p className="hint">{words.hint}</p>
    </fieldset>
  )
}
