import type { ComponentType } from "react"
import type { StepType } from "../steps.ts"
import { BranchForm } from "./Branch.tsx"
import { DelayForm } from "./Delay.tsx"
import { DigestForm } from "./Digest.tsx"
import { FetchForm } from "./Fetch.tsx"
import type { StepFormProps } from "./fields.tsx"
import { FilterForm } from "./Filter.tsx"
import { SendForm } from "./Send.tsx"
import { ThrottleForm } from "./Throttle.tsx"
import { UpdateContactForm } from "./UpdateContact.tsx"
import { WaitForForm } from "./WaitFor.tsx"

const FORMS: Readonly<Record<StepType, ComponentType<StepFormProps>>> = {
  SEND: SendForm,
  DELAY: DelayForm,
  FILTER: FilterForm,
  BRANCH: BranchForm,
  DIGEST: DigestForm,
  THROTTLE: ThrottleForm,
  FETCH: FetchForm,
  UPDATE_CONTACT: UpdateContactForm,
  WAIT_FOR: WaitForForm
}

/** What can be wrong that a field of the form shows; all else stands above the form. */
const SHOWN: Readonly<Record<StepType, RegExp>> = {
  SEND: /^(?:content\.(?:title|body|url|image|subject|html)|template_id|variables|priority|ttl|collapse_key)$/,
  DELAY: /^(?:seconds|until|window\.(?:from|to)|timezone)$/,
  FILTER: /^conditions/,
  BRANCH: /^branches\[\d+\]\.conditions/,
  DIGEST: /^(?:seconds|at_most|by)$/,
  THROTTLE: /^(?:at_most|per_seconds|by)$/,
  FETCH: /^(?:url|method|headers\..+|body)$/,
  UPDATE_CONTACT: /^(?:tags_add|tags_remove|attributes)$/,
  WAIT_FOR: /^(?:event|seconds|match\.(?:event|run))$/
}

export const isShown = (type: StepType, field: string): boolean =>
  field === "key" || field === "name" || SHOWN[type].test(field)

/** The settings of a step, by its type. */
export const StepForm = (props: StepFormProps) => {
  const Form = FORMS[props.step.type]
  return <Form {...props} />
}
