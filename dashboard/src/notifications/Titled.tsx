import { useAsk } from "../api/hooks.ts"
import { templateName, workflowName } from "./operations.ts"

interface Called {
  readonly title: string | null
  readonly templateId: string | null
  readonly workflowId: string | null
  readonly workflowStep: string | null
}

/** What a notification is called: its title, or who sent it and from what. Null: it is not known yet. */
export const useTitle = (one: Called | null): string => {
  const isNamed = one === null || one.title !== null
  const workflowId = isNamed ? null : one.workflowId
  const templateId = isNamed || workflowId !== null ? null : one.templateId
  const workflow = useAsk(workflowName, { id: workflowId! }, { enabled: workflowId !== null })
  const template = useAsk(templateName, { id: templateId! }, { enabled: templateId !== null })
  if (one === null) return "Notification"
  if (one.title !== null) return one.title
  if (workflowId !== null) return `${workflow.data?.workflow?.name ?? "A workflow"}, step ${one.workflowStep}`
  if (templateId === null) return "Without a title"
  const name = template.data?.template?.name
  return name === undefined ? "From a template" : `From the template ${name}`
}

export const Titled = ({ one }: { readonly one: Called }) => <>{useTitle(one)}</>
