import { useRef } from "react"
import { Check, Choice } from "../../parts/form.tsx"
import type { StepFormProps } from "./fields.tsx"
import { SpanOf, TextOf, ZoneOf } from "./fields.tsx"

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

interface Window {
  readonly from?: string
  readonly to?: string
  readonly days?: ReadonlyArray<number>
}

const WindowFields = ({
  onChange,
  window
}: {
  readonly window: Window
  readonly onChange: (window: Window) => void
}) => {
  const { days, ...times } = window
  const chosen = days ?? [1, 2, 3, 4, 5, 6, 7]
  const choose = (day: number, isIn: boolean): void => {
    const next = [...chosen.filter((other) => other !== day), ...(isIn ? [day] : [])].toSorted((a, b) => a - b)
    onChange(next.length === 7 ? times : { ...times, days: next })
  }
  return (
    <>
      <div className="grid two">
        <TextOf
          label="From"
          field="window.from"
          type="time"
          value={window.from}
          onChange={(from) => onChange({ ...window, from: from as string })}
        />
        <TextOf
          label="To"
          field="window.to"
          type="time"
          value={window.to}
          onChange={(to) => onChange({ ...window, to: to as string })}
          hint="Before “From”: past midnight."
        />
      </div>
      <fieldset className="checks">
        <legend>On days on which it begins</legend>
        {DAYS.map((name, i) => (
          <Check key={name} label={name} isChecked={chosen.includes(i + 1)} onChange={(isIn) => choose(i + 1, isIn)} />
        ))}
      </fieldset>
    </>
  )
}

type Kind = "seconds" | "until" | "window"
const FIRST: Readonly<Record<Kind, unknown>> = {
  seconds: 86_400,
  until: "09:00",
  window: { from: "09:00", to: "18:00", days: [1, 2, 3, 4, 5] }
}

export const DelayForm = ({ change, step }: StepFormProps) => {
  const kind: Kind = step["window"] !== undefined ? "window" : step["until"] !== undefined ? "until" : "seconds"
  /** What was typed for the other kinds, for whoever comes back to them. */
  const left = useRef<Readonly<Record<string, unknown>>>(FIRST)
  const choose = (next: Kind): void => {
    left.current = { ...left.current, [kind]: step[kind], timezone: step["timezone"] ?? left.current["timezone"] }
    change({
      seconds: undefined,
      until: undefined,
      window: undefined,
      timezone: next === "seconds" ? undefined : left.current["timezone"],
      [next]: left.current[next]
    })
  }
  return (
    <>
      <Choice
        label="How long people wait"
        value={kind}
        onChange={choose}
        options={[
          ["seconds", "A length of time"],
          ["until", "Until a time of day"],
          ["window", "Until the next allowed hours"]
        ]}
      />
      {kind === "seconds" && (
        <SpanOf
          label="For"
          field="seconds"
          value={step["seconds"]}
          onChange={(seconds) => change({ seconds })}
          hint="As 3 days 2 hours, or 90 min; a year at most."
        />
      )}
      {kind === "until" && (
        <TextOf
          label="Until"
          field="until"
          type="time"
          value={step["until"]}
          onChange={(until) => change({ until })}
          hint="On the clock of each person: the next time that it shows this."
        />
      )}
      {kind === "window" && (
        <WindowFields window={(step["window"] ?? {}) as Window} onChange={(window) => change({ window })} />
      )}
      {kind !== "seconds" && (
        <ZoneOf
          label="Time zone of people whose own is not known"
          field="timezone"
          value={step["timezone"]}
          onChange={(timezone) => change({ timezone })}
          hint="Left empty: that of the installation."
        />
      )}
    </>
  )
}
