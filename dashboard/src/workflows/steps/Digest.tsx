import { Check } from "../../parts/form.tsx"
import type { StepFormProps } from "./fields.tsx"
import { NumberOf, SpanOf, TextOf } from "./fields.tsx"

export const DigestForm = ({ change, step }: StepFormProps) => (
  <>
    <SpanOf
      label="Collect for"
      field="seconds"
      value={step["seconds"]}
      onChange={(seconds) => change({ seconds })}
      hint="From the first that comes. As 10 minutes; 31 days at most."
    />
    <Check
      label="Begin anew with each that comes"
      isChecked={step["sliding"] === true}
      onChange={(isWanted) => change({ sliding: isWanted || undefined })}
      hint="Up to ten times as long after the first."
    />
    <div className="grid two">
      <NumberOf
        label="Go on early at"
        field="at_most"
        value={step["at_most"]}
        onChange={(at_most) => change({ at_most })}
        hint="So many; 2 to 1,000. Left empty: when the time is over."
      />
      <TextOf
        label="Collect apart, by"
        field="by"
        value={step["by"]}
        onChange={(by) => change({ by })}
        placeholder="data.thread"
        hint="The path of a value. Left empty: one collection for a person."
      />
    </div>
  </>
)
