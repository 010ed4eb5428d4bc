import { useState } from "react"
import type { TypedAttribute } from "../../contacts/attributes.ts"
import { attributesOf, typedOf } from "../../contacts/attributes.ts"
import { Attributes } from "../../contacts/Attributes.tsx"
import { faultOf } from "../../api/words.ts"
import type { StepFormProps } from "./fields.tsx"
import { ListOf, nameIn } from "./fields.tsx"

export const UpdateContactForm = ({ change, error, step }: StepFormProps) => {
  const [rows, setRows] = useState<ReadonlyArray<TypedAttribute>>(() => typedOf(step["attributes"]))
  const fault = faultOf(error, nameIn("attributes"))
  return (
    <>
      <ListOf
        label="Add the tags"
        field="tags_add"
        value={step["tags_add"]}
        onChange={(tags_add) => change({ tags_add })}
        placeholder="welcomed, trial"
        hint="Divided by commas."
      />
      <ListOf
        label="Take away the tags"
        field="tags_remove"
        value={step["tags_remove"]}
        onChange={(tags_remove) => change({ tags_remove })}
      />
      <Attributes
        rows={rows}
        onChange={(next) => {
          setRows(next)
          const attributes = attributesOf(next)
          change({ attributes: Object.keys(attributes).length === 0 ? undefined : attributes })
        }}
      />
      <p className="hint">They are laid over those that the contact has; null removes one.</p>
      {fault && <p className="fault">Attributes {fault}</p>}
    </>
  )
}
