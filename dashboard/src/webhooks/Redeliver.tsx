import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { untilDone } from "../api/pace.ts"
import { Button, Choice, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Dialog, GoBack } from "../parts/page.tsx"
import { counted, LAST_MINUTE, momentOf, zone } from "../parts/time.ts"
import { redeliver, redelivery } from "./operations.ts"
import type { Hook } from "./words.ts"

/** What the receiver missed, or has to get once more, by time. */
export const Redeliver = ({ hook, onClose }: { readonly hook: Hook; readonly onClose: () => void }) => {
  const [status, setStatus] = useState<"EXHAUSTED" | "DELIVERED">("EXHAUSTED")
  const [from, setFrom] = useState("")
  const [to, setTo] = useState("")
  const navigate = useNavigate()
  const start = useDo(
    redeliver,
    ({ redeliverHook }) => {
      // In the address, so that its progress outlives a reload.
      void navigate({ to: ".", search: { redelivery: redeliverHook.id } as never, resetScroll: false })
      onClose()
    },
    { once: true }
  )
  const [hasTried, setTried] = useState(false)
  const [begin, end] = [momentOf(from), momentOf(to)]
  const faultIn = (text: string, at: string | null): string | null =>
    hasTried && text !== "" && at === null ? "is no moment that can be read" : null
  const submit = (): void => {
    setTried(true)
    if ((from !== "" && begin === null) || (to !== "" && end === null)) return
    start.mutate({ id: hook.id, input: { status, ...(begin ? { from: begin } : {}), ...(end ? { to: end } : {}) } })
  }
  return (
    <Dialog title="Deliver again" onClose={onClose}>
      <Form error={start.error} onSubmit={submit}>
        <Choice
          label="Which"
          value={status}
          onChange={setStatus}
          options={[
            ["EXHAUSTED", "What it missed"],
            ["DELIVERED", "What it has taken already"]
          ]}
        />
        <TextField
          label="Events from"
          name="from"
          type="datetime-local"
          max={LAST_MINUTE}
          value={from}
          onChange={setFrom}
          fault={faultIn(from, begin)}
          hint={`In ${zone}. Left empty: from the first that is kept.`}
        />
        <TextField
          label="until"
          name="to"
          type="datetime-local"
          max={LAST_MINUTE}
          value={to}
          onChange={setTo}
          fault={faultIn(to, end)}
          hint="Left empty: until now."
        />
        <p>
          They go with the ids that they had, a fresh signature, and all six attempts. What is still being tried is left
          to its attempts. Events that happened while the webhook was disabled were never kept for it.
        </p>
        <ErrorNotice error={start.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={start.isPending}>
            Deliver them again
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** How far a redelivery of many is. */
export const RedeliveryProgress = ({ id }: { readonly id: string }) => {
  const shown = useAsk(redelivery, { id }, { every: (answer) => untilDone(answer?.redelivery?.status) })
  const one = shown.data?.redelivery
  if (!one) return null
  const number = counted(one.redelivered, "delivery", "deliveries")
  return (
    <p className="notice info" role="status">
      {one.status === "RUNNING"
        ? `Looking through what there was: ${number} on their way again so far…`
        : one.redelivered === 0
          ? "There was nothing to deliver again."
          : `${number} went on their way again. What came of them stands below.`}
    </p>
  )
}
