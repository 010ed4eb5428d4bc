import { Conditions } from "./Conditions.tsx"
import type { StepFormProps } from "./fields.tsx"

export const FilterForm = ({ change, earlier, error, step }: StepFormProps) => (
  <>
    <Conditions
      label="The run goes on if all of this is true"
      field="conditions"
      value={step["conditions"]}
      onChange={(conditions) => change({ conditions })}
      earlier={earlier}
      error={error}
    />
    <p className="hint">Everybody else ends here, as filtered out.</p>
  </>
)
