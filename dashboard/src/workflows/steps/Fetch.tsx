import { useState } from "react"
import { Refusal } from "../../api/request.ts"
import { Button, SelectField } from "../../parts/form.tsx"
import type { StepFormProps } from "./fields.tsx"
import { JsonOf, nameIn, TextOf } from "./fields.tsx"

/** What stands for a value that the service keeps sealed. */
const SEALED = "********"

interface Header {
  readonly name: string
  /** Null: it was typed, and a reload has not kept it. */
  readonly value: string | null
}

const Headers = ({ change, error, step }: StepFormProps) => {
  const [rows, setRows] = useState<ReadonlyArray<Header>>(() =>
    Object.entries((step["headers"] ?? {}) as Readonly<Record<string, string | null>>).map(([name, value]) => ({
      name,
      value
    }))
  )
  const set = (next: ReadonlyArray<Header>): void => {
    setRows(next)
    const named = next.filter(({ name }) => name.trim() !== "")
    const headers = Object.fromEntries(named.map(({ name, value }) => [name.trim(), value]))
    change({ headers: named.length === 0 ? undefined : headers })
  }
  const faultOf = (name: string): string | null =>
    error instanceof Refusal
      ? (error.details.find(({ field }) => field === nameIn(`headers.${name.trim()}`))?.message ?? null)
      : null
  return (
    <fieldset className="rows">
      <legend>Headers</legend>
      {rows.map(({ name, value }, at) => {
        const fault = value === null ? "has to be typed again: secrets are not kept in the tab" : faultOf(name)
        return (
          <div key={at} className="row headers">
            <input
              aria-label={`Name of header ${at + 1}`}
              value={name}
              onChange={({ target }) => set(rows.with(at, { name: target.value, value }))}
              placeholder="Authorization"
              spellCheck={false}
            />
            {value === SEALED ? (
              <span className="sealed">
                <span>Kept sealed</span>
                <Button kind="quiet" onClick={() => set(rows.with(at, { name, value: "" }))}>
                  Replace<span className="unseen"> the value of {name}</span>
                </Button>
              </span>
            ) : (
              <input
                aria-label={`Value of ${name || `header ${at + 1}`}`}
                aria-invalid={fault === null ? undefined : true}
                type="password"
                autoComplete="off"
                value={value ?? ""}
                onChange={({ target }) => set(rows.with(at, { name, value: target.value }))}
                placeholder="Bearer …"
              />
            )}
            <Button
              kind="quiet"
              aria-label={`Remove ${name || `header ${at + 1}`}`}
              onClick={() => set(rows.toSpliced(at, 1))}
            >
              ✕
            </Button>
            {fault && (
              <p className="fault">
                {name} {fault}
              </p>
            )}
          </div>
        )
      })}
      <Button onClick={() => set([...rows, { name: "", value: "" }])}>Add a header</Button>
      <p className="hint">
        Values are kept sealed, and shown to nobody again. They stay as long as key and URL of the step do.
      </p>
    </fieldset>
  )
}

type Method = "" | "GET" | "POST" | "PUT" | "PATCH"

export const FetchForm = (props: StepFormProps) => {
  const { change, step } = props
  return (
    <>
      <TextOf
        label="URL"
        field="url"
        value={step["url"]}
        onChange={(url) => change({ url })}
        placeholder="https://shop.example.com/carts/{{ data.cart }}"
        hint="Liquid, as the texts of messages."
      />
      <SelectField<Method>
        label="Method"
        name={nameIn("method")}
        value={(step["method"] ?? "") as Method}
        onChange={(method) => change({ method: method || undefined })}
        options={[
          ["", "GET, or POST with a body"],
          ["GET", "GET"],
          ["POST", "POST"],
          ["PUT", "PUT"],
          ["PATCH", "PATCH"]
        ]}
      />
      <Headers {...props} />
      <JsonOf
        label="Body"
        field="body"
        rows={4}
        value={step["body"]}
        onChange={(body) => change({ body })}
        hint='JSON, as {"cart": "{{ data.cart }}"}; its texts are Liquid. Left empty: none.'
      />
      <p className="hint">
        The server has ten seconds, and is asked again after 30 and 60 where it is away or overloaded. Its answer is
        under <code>steps.{step.key}</code>: <code>status</code> and <code>body</code>.
      </p>
    </>
  )
}
