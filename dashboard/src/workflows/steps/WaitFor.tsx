import type { StepFormProps } from "./fields.tsx"
import { SpanOf, TextOf } from "./fields.tsx"

interface Match {
  readonly event?: string
  readonly run?: string
}

export const WaitForForm = ({ change, step }: StepFormProps) => {
  const match = (step["match"] ?? {}) as Match
  const set = (changes: Readonly<Record<string, unknown>>): void => {
    const next = { ...match, ...changes } as Match
    const isGiven = next.event !== undefined || next.run !== undefined
    change({ match: isGiven ? { event: next.event ?? "", run: next.run ?? "" } : undefined })
  }
  return (
    <>
      <div className="grid two">
        <TextOf
          label="Event"
          field="event"
          value={step["event"]}
          onChange={(event) => change({ event })}
          placeholder="bought"
          hint="One of your own, of the same person."
        />
        <SpanOf
          label="For, at most"
          field="seconds"
          value={step["seconds"]}
          onChange={(seconds) => change({ seconds })}
          hint="As 1 day; a year at most. Then the run goes on without it."
        />
      </div>
      <fieldset className="condition-group">
        <legend>Only an event that belongs to this run</legend>
        <div className="grid two">
          <TextOf
            label="Its value at"
            field="match.event"
            value={match.event === "" ? undefined : match.event}
            onChange={(event) => set({ event })}
            placeholder="cart"
          />
          <TextOf
            label="Equals the run's at"
            field="match.run"
            value={match.run === "" ? undefined : match.run}
            onChange={(run) => set({ run })}
            placeholder="data.cart"
          />
        </div>
        <p className="hint">Left empty: any such event.</p>
      </fieldset>
    </>
  )
}
