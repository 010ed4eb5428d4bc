import type { StepFormProps } from "./fields.tsx"
import { NumberOf, SpanOf, TextOf } from "./fields.tsx"

export const ThrottleForm = ({ change, step }: StepFormProps) => (
  <>
    <div className="grid two">
      <NumberOf
        label="Runs of a person that go on, at most"
        field="at_most"
        value={step["at_most"]}
        onChange={(at_most) => change({ at_most })}
      />
      <SpanOf
        label="Within"
        field="per_seconds"
        value={step["per_seconds"]}
        onChange={(per_seconds) => change({ per_seconds })}
        hint="From the first of them. As 1 day; 31 days at most."
      />
    </div>
    <TextOf
      label="Counted apart, by"
      field="by"
      value={step["by"]}
      onChange={(by) => change({ by })}
      placeholder="data.thread"
      hint="The path of a value. Left empty: all of a person's runs together."
    />
    <p className="hint">Runs beyond that end here, as filtered out.</p>
  </>
)
