import type { ComponentProps, ReactNode } from "react"
import { createContext, use, useId, useState } from "react"
import { faultOf, wordsOf } from "../api/words.ts"

type ButtonKind = "primary" | "plain" | "danger" | "quiet"

interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: ButtonKind
  readonly isBusy?: boolean
}

/** A busy button stays where the focus is, and does nothing. */
export const Button = ({
  children,
  isBusy = false,
  kind = "plain",
  onClick,
  type = "button",
  ...rest
}: ButtonProps) => (
  <button
    {...rest}
    type={type}
    className={`button ${kind} ${rest.className ?? ""}`}
    aria-disabled={isBusy || rest["aria-disabled"]}
    aria-busy={isBusy || undefined}
    onClick={(event) => {
      if (isBusy) event.preventDefault()
      else onClick?.(event)
    }}
  >
    {children}
  </button>
)

/** The error of the last attempt, for the fields of a form. */
const Fault = createContext<unknown>(null)

/** The id of the field of a form whose text the browser cannot read: half a date has the value "", as an empty field. */
const Unread = createContext<string | null>(null)

interface FormProps {
  readonly children: ReactNode
  readonly onSubmit: () => void
  readonly error?: unknown
  readonly className?: string
}

/** Fields say what was wrong with them; the rest of an error stands above the button. None is sent with an input at fault. */
export const Form = ({ children, className = "", error = null, onSubmit }: FormProps) => {
  const [unread, setUnread] = useState<string | null>(null)
  return (
    <Fault value={error}>
      <Unread value={unread}>
        <form
          className={`form ${className}`}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            event.stopPropagation()
            const inputs = [...event.currentTarget.querySelectorAll("input")]
            const found = inputs.find(({ validity }) => validity.badInput || validity.customError)
            setUnread(found?.id ?? null)
            if (found) found.focus()
            else onSubmit()
          }}
        >
          {children}
        </form>
      </Unread>
    </Fault>
  )
}

interface FieldProps {
  readonly label: string
  /** As the service calls it, for what it says of it. */
  readonly name?: string
  readonly hint?: ReactNode
  readonly fault?: string | null
  readonly children: (attributes: {
    readonly id: string
    readonly "aria-describedby": string | undefined
    readonly "aria-invalid": boolean | undefined
  }) => ReactNode
}

export const Field = ({ children, fault = null, hint, label, name }: FieldProps) => {
  const id = useId()
  const error = use(Fault)
  const half = use(Unread) === id ? "is filled in by half: fill in the rest, or empty it" : null
  const wrong = half ?? fault ?? (name === undefined ? null : faultOf(error, name))
  const described = [hint ? `${id}-hint` : "", wrong ? `${id}-fault` : ""].filter(Boolean).join(" ")
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": wrong === null ? undefined : true })}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {wrong && (
        <p id={`${id}-fault`} className="fault">
          {label} {wrong}
        </p>
      )}
    </div>
  )
}

interface TextProps extends Omit<ComponentProps<"input">, "onChange" | "value" | "name"> {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly name?: string
  readonly hint?: ReactNode
  readonly fault?: string | null
}

export const TextField = ({ fault, hint, label, name, onChange, value, ...rest }: TextProps) => (
  <Field label={label} hint={hint} {...(name ? { name } : {})} fault={fault ?? null}>
    {(attributes) => (
      <input {...rest} {...attributes} value={value} onChange={(event) => onChange(event.target.value)} />
    )}
  </Field>
)

interface AreaProps extends Omit<ComponentProps<"textarea">, "onChange" | "value" | "name"> {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly name?: string
  readonly hint?: ReactNode
}

export const AreaField = ({ hint, label, name, onChange, value, ...rest }: AreaProps) => (
  <Field label={label} hint={hint} {...(name ? { name } : {})}>
    {(attributes) => (
      <textarea rows={4} {...rest} {...attributes} value={value} onChange={(event) => onChange(event.target.value)} />
    )}
  </Field>
)

interface SelectProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly options: ReadonlyArray<readonly [value: Value, words: string]>
  readonly name?: string
  readonly hint?: ReactNode
  readonly isDisabled?: boolean
}

export const SelectField = <Value extends string>({
  hint,
  isDisabled = false,
  label,
  name,
  onChange,
  options,
  value
}: SelectProps<Value>) => (
  <Field label={label} hint={hint} {...(name ? { name } : {})}>
    {(attributes) => (
      <select
        {...attributes}
        value={value}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    )}
  </Field>
)

interface CheckProps {
  readonly label: ReactNode
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly hint?: ReactNode
}

export const Check = ({ hint, isChecked, label, onChange }: CheckProps) => {
  const id = useId()
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

/** One of a few, all of them visible. */
export const Choice = <Value extends string>({
  label,
  onChange,
  options,
  value
}: {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly options: ReadonlyArray<readonly [value: Value, words: string]>
}) => {
  const id = useId()
  return (
    <fieldset className="choice">
      <legend>{label}</legend>
      <div>
        {options.map(([one, words]) => (
          <label key={one}>
            <input type="radio" name={id} checked={one === value} onChange={() => onChange(one)} />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** What went wrong, what to do, and the id that those who run the service ask for. */
export const ErrorNotice = ({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) => {
  if (error === null || error === undefined) return null
  const { advice, message, requestId } = wordsOf(error)
  return (
    <div className="notice danger" role="alert">
      <p>
        <strong>{message}</strong> {advice}
      </p>
      {requestId && (
        <p className="small">
          Request <code>{requestId}</code>
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

/** Keeps a text in this tab. What has no room there is not kept, and nothing older in its place. */
export const keepInTab = (key: string, text: string): void => {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    sessionStorage.removeItem(key)
  }
}

/**
 * What is typed outlives a reload, a crash and an ended session: it is kept in this tab until it was sent. Secrets are not
 * typed into such fields; or `kept` leaves them out of what the tab keeps.
 */
export const useDraft = <Value extends object>(
  key: string,
  initial: Value,
  kept: (value: Value) => unknown = (value) => value
) => {
  const [value, setValue] = useState<Value>(() => {
    try {
      return { ...initial, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Value>) }
    } catch {
      return initial
    }
  })
  const change = (changes: Partial<Value>): void =>
    setValue((before) => {
      const after = { ...before, ...changes }
      keepInTab(key, JSON.stringify(kept(after)))
      return after
    })
  const forget = (): void => {
    sessionStorage.removeItem(key)
    setValue(initial)
  }
  const isChanged = JSON.stringify(value) !== JSON.stringify(initial)
  return { value, change, forget, isChanged }
}
