import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import { listed } from "../compose/draft.ts"
import { readJson, wrongWithin } from "../parts/json.ts"
import { AreaField, Button, ErrorNotice, Form } from "../parts/form.tsx"
import { Dialog, GoBack } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import type { Workflow } from "./draft.ts"
import { triggerWorkflow } from "./operations.ts"

/** Names people who enter now. */
export const Enter = ({ onClose, one }: { readonly one: Workflow; readonly onClose: () => void }) => {
  const [people, setPeople] = useState("")
  const [data, setData] = useState("{}")
  const [fault, setFault] = useState<string | null>(null)
  const going = useDo(
    triggerWorkflow,
    ({ triggerWorkflow: { executions } }) => {
      toast(executions === 1 ? "One run has begun" : `${executions} runs have begun`)
      onClose()
    },
    { once: true }
  )
  const start = (): void => {
    const { broken, value, wrong } = readJson(data)
    setFault(broken !== null ? `is no JSON: ${broken}` : wrong && wrongWithin(wrong))
    if (broken === null && wrong === null)
      going.mutate({ id: one.id, input: { to: { user_ids: listed(people) }, data: value } })
  }
  return (
    <Dialog title={`Let people into ${one.name}`} onClose={onClose}>
      <Form error={going.error} onSubmit={start}>
        <AreaField
          label="Their ids, as your application calls them"
          name="to"
          value={people}
          onChange={setPeople}
          rows={3}
        />
        <AreaField
          label="What they bring, as JSON"
          name="data"
          value={data}
          onChange={setData}
          rows={3}
          spellCheck={false}
        />
        {fault && <p className="fault">What they bring {fault}</p>}
        <ErrorNotice error={going.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={going.isPending}>
            Let them in
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
