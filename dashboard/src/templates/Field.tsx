import { lazy, Suspense, useRef } from "react"
import { Loading } from "../parts/page.tsx"
import type { SourceHandle } from "./Source.tsx"
import type { Fault } from "./sources.ts"

const Source = lazy(() => import("./Source.tsx").then(({ Source }) => ({ default: Source })))

/** A source with what is wrong with it: each fault leads to its place. */
export const SourceField = ({
  faults,
  isReadOnly,
  kind,
  label,
  language,
  onChange,
  placeholder,
  value
}: {
  readonly label: string
  /** What is said beside the label where several languages stand side by side. */
  readonly language: string | null
  readonly value: string
  readonly kind: "line" | "text" | "html"
  readonly isReadOnly: boolean
  readonly placeholder: string
  readonly faults: ReadonlyArray<Fault>
  readonly onChange: (value: string) => void
}) => {
  const editor = useRef<SourceHandle>(null)
  const whole = language === null ? label : `${label}, ${language}`
  return (
    <div className="field">
      <span className="label">
        {label}
        {language !== null && <span className="muted"> {language}</span>}
      </span>
      <Suspense fallback={<Loading lines={kind === "line" ? 1 : 4} />}>
        <Source
          label={whole}
          value={value}
          kind={kind}
          isReadOnly={isReadOnly}
          placeholder={placeholder}
          faults={faults}
          onChange={onChange}
          handle={editor}
        />
      </Suspense>
      {faults.length > 0 && (
        <ul className="faults" aria-label={`Faults: ${whole}`}>
          {faults.map((fault) => (
            <li key={`${fault.line} ${fault.column} ${fault.message}`} className="fault">
              {fault.line !== null && (
                <button type="button" className="fault-place" onClick={() => editor.current?.show(fault)}>
                  Line {fault.line}, column {fault.column}
                </button>
              )}{" "}
              {fault.message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
