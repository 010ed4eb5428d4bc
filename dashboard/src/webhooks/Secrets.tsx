import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Button, ErrorNotice, Form, SelectField } from "../parts/form.tsx"
import { Card, Confirm, Dialog, GoBack, Secret } from "../parts/page.tsx"
import { moment } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { updateHook } from "./operations.ts"
import { newSecret } from "./secret.ts"
import type { Hook } from "./words.ts"

const OVERLAPS = [
  ["86400", "Signs beside the new one for a day"],
  ["3600", "Signs beside the new one for an hour"],
  ["604800", "Signs beside the new one for a week"],
  ["0", "Ends at once"]
] as const

/** A new secret: what becomes of the one before, then the new one, shown this once. */
const Rotate = ({ now, onClose }: { readonly now: Hook; readonly onClose: () => void }) => {
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number][0]>("86400")
  const [secret] = useState(newSecret)
  // As it was when the dialog was opened: the change itself makes it signed.
  const [wasSigned] = useState(now.isSigned)
  const [until, setUntil] = useState<string | null | undefined>(undefined)
  const rotate = useDo(updateHook, ({ updateHook }) => setUntil(updateHook.signatureOverlapUntil))
  if (until !== undefined) {
    return (
      <Dialog title={`The ${wasSigned ? "new " : ""}secret of ${now.name}`}>
        <div className="notice warning">
          <p>Copy it now: it is shown this once. It signs from the next attempt on.</p>
        </div>
        <Secret label="Signing secret, for your receiver" value={secret} />
        {wasSigned && (
          <p>
            {until === null
              ? "The one before signs no more."
              : `The one before signs beside it until ${moment(until)}: change your receiver by then.`}
          </p>
        )}
        <div className="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={wasSigned ? "Make a new secret" : "Sign deliveries"} onClose={onClose}>
      <Form
        error={rotate.error}
        onSubmit={() =>
          rotate.mutate({
            id: now.id,
            input: { secret, ...(wasSigned ? { secretOverlapSeconds: Number(overlap) } : {}) }
          })
        }
      >
        {wasSigned ? (
          <SelectField label="The one before" value={overlap} onChange={setOverlap} options={OVERLAPS} />
        ) : (
          <p>
            Deliveries then carry <code>X-Service-Signature</code>, with which your receiver knows that they came from
            here.
          </p>
        )}
        <ErrorNotice error={rotate.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={rotate.isPending}>
            Make it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** Whether deliveries are signed, and with what. */
export const Signature = ({ canChange, now }: { readonly now: Hook; readonly canChange: boolean }) => {
  const [asking, setAsking] = useState<"rotate" | "remove" | null>(null)
  const remove = useDo(updateHook, () => {
    setAsking(null)
    toast("Deliveries are not signed any more")
  })
  return (
    <Card
      title="Signature"
      actions={
        canChange && (
          <>
            <Button onClick={() => setAsking("rotate")}>{now.isSigned ? "Make a new secret…" : "Sign them…"}</Button>
            {now.isSigned && (
              <Button kind="quiet" onClick={() => setAsking("remove")}>
                Remove the secret…
              </Button>
            )}
          </>
        )
      }
    >
      {now.isSigned ? (
        <p>
          Every delivery carries <code>X-Service-Signature</code>. The secret is shown to nobody again.
        </p>
      ) : (
        <p className="notice warning">
          Deliveries are not signed: whoever learns the address can send it events that never happened.
        </p>
      )}
      {now.signatureOverlapUntil !== null && (
        <p className="notice info">
          The secret before signs beside the new one until {moment(now.signatureOverlapUntil)}.
        </p>
      )}
      {asking === "rotate" && <Rotate now={now} onClose={() => setAsking(null)} />}
      {asking === "remove" && (
        <Confirm
          title="Remove the secret?"
          words="Remove it"
          isBusy={remove.isPending}
          error={<ErrorNotice error={remove.error} />}
          onClose={() => setAsking(null)}
          onConfirm={() => remove.mutate({ id: now.id, input: { secret: null } })}
        >
          <p>
            Deliveries carry no signature from the next attempt on, and none of the secret before. A receiver that
            checks it refuses them.
          </p>
        </Confirm>
      )}
    </Card>
  )
}
