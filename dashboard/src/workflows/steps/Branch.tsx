import { Button } from "../../parts/form.tsx"
import { counted } from "../../parts/time.ts"
import { Conditions } from "./Conditions.tsx"
import type { StepFormProps } from "./fields.tsx"

export const BranchForm = ({ change, earlier, error, step }: StepFormProps) => {
  const branches = step.branches ?? []
  return (
    <>
      {branches.map((branch, at) => (
        <div key={`${at} of ${branches.length}`} className="stack">
          <Conditions
            label={`Way ${at + 1} is taken if all of this is true`}
            field={`branches[${at}].conditions`}
            value={branch.conditions}
            onChange={(conditions) => change({ branches: branches.with(at, { ...branch, conditions }) })}
            earlier={earlier}
            error={error}
          />
          {branches.length > 1 && (
            <div>
              <Button kind="quiet" onClick={() => change({ branches: branches.toSpliced(at, 1) })}>
                Remove way {at + 1}
                {branch.steps.length > 0 && ` with its ${counted(branch.steps.length, "step")}`}
              </Button>
            </div>
          )}
        </div>
      ))}
      <div>
        <Button onClick={() => change({ branches: [...branches, { conditions: {}, steps: [] }] })}>Add a way</Button>
      </div>
      <p className="hint">The first way whose conditions fit is taken; everybody else goes on with “Otherwise”.</p>
    </>
  )
}
