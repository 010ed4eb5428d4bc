import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp, useLeaveHere } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, SelectField, TextField, useDraft } from "../parts/form.tsx"
import { Card, Chip, Confirm, Dialog, GoBack, Id, Loading, Secret, When } from "../parts/page.tsx"
import { moment } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import {
  application as applicationQuery,
  changeApplication,
  deleteApplication,
  reissueIdentitySecret
} from "./operations.ts"

const OVERLAPS = [
  ["86400", "For a day, hashes of both are good"],
  ["604800", "For a week, hashes of both are good"],
  ["0", "At once: hashes made with the old one are refused"]
] as const

const Reissue = ({ appId, onClose }: { readonly appId: string; readonly onClose: () => void }) => {
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number][0]>("86400")
  const [secret, setSecret] = useState<string | null>(null)
  const issue = useDo(reissueIdentitySecret, ({ reissueIdentitySecret: { identitySecret } }) =>
    setSecret(identitySecret)
  )
  if (secret !== null) {
    return (
      <Dialog title="The new identity secret">
        <div className="notice warning">
          <p>Copy it now: it is shown this once.</p>
        </div>
        <Secret label="Identity secret, for your servers" value={secret} />
        <div className="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="Issue a new identity secret" onClose={onClose}>
      <Form error={issue.error} onSubmit={() => issue.mutate({ appId, overlapSeconds: Number(overlap) })}>
        <SelectField label="The one before" value={overlap} onChange={setOverlap} options={OVERLAPS} />
        <ErrorNotice error={issue.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={issue.isPending}>
            Issue it
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** Name, and whether public requests have to prove whom they speak for. */
export const General = () => {
  const { appId, may } = useApp()
  const shown = useAsk(applicationQuery, { appId })
  const one = shown.data?.application
  const [asking, setAsking] = useState<"delete" | "off" | "reissue" | null>(null)
  const draft = useDraft(`application ${appId}`, { name: "" })
  const change = useDo(changeApplication, () => {
    setAsking(null)
    draft.forget()
    toast("Saved")
  })
  const goToFront = useLeaveHere()
  const erase = useDo(deleteApplication, () => {
    setAsking(null)
    void goToFront()
  })
  const canChange = may("CHANGE_APPLICATION")
  if (!one) return shown.error ? <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} /> : <Loading />
  const name = draft.value.name || one.name
  const isOn = one.identityVerification
  return (
    <>
      <Card title="Application">
        {canChange ? (
          <Form className="inline" error={change.error} onSubmit={() => change.mutate({ id: one.id, input: { name } })}>
            <TextField label="Name" name="name" value={name} onChange={(name) => draft.change({ name })} />
            <Button type="submit" isBusy={change.isPending}>
              Save
            </Button>
          </Form>
        ) : (
          <p>{one.name}</p>
        )}
        <dl className="facts">
          <div>
            <dt>Id</dt>
            <dd>
              <Id value={one.id} label="application's id" />
            </dd>
          </div>
          <div>
            <dt>Made</dt>
            <dd>
              <When at={one.createdAt} />
            </dd>
          </div>
        </dl>
      </Card>
      <Card
        title="Identity verification"
        actions={
          canChange && (
            <>
              <Button onClick={() => setAsking("reissue")}>New secret…</Button>
              {isOn ? (
                <Button kind="danger" onClick={() => setAsking("off")}>
                  Switch off…
                </Button>
              ) : (
                <Button
                  kind="primary"
                  isBusy={change.isPending}
                  onClick={() => change.mutate({ id: one.id, input: { identityVerification: true } })}
                >
                  Switch on
                </Button>
              )}
            </>
          )
        }
      >
        <p>
          <Chip tone={isOn ? "good" : "bad"}>{isOn ? "On" : "Off"}</Chip>
        </p>
        <p>
          {isOn
            ? "A browser or app that says whose it is proves it by a hash that your server made with the identity secret."
            : "User ids are public information: whoever knows one can read that person's inbox, and register devices in their name."}
        </p>
        {one.warnings.map((warning) => (
          <p key={warning} className="notice warning">
            {warning}
          </p>
        ))}
        {one.formerIdentitySecretUntil && (
          <p className="muted">Hashes of the secret before are good until {moment(one.formerIdentitySecretUntil)}.</p>
        )}
      </Card>
      {may("DELETE_APPLICATION") && (
        <p>
          <Button kind="danger" onClick={() => setAsking("delete")}>
            Delete the application…
          </Button>
        </p>
      )}
      <ErrorNotice error={change.error} />
      {asking === "delete" && (
        <Confirm
          title={`Delete ${one.name}?`}
          words="Delete everything"
          typed={one.name}
          isBusy={erase.isPending}
          error={<ErrorNotice error={erase.error} />}
          onClose={() => setAsking(null)}
          onConfirm={() => erase.mutate({ id: one.id })}
        >
          <p>
            Its keys are refused from then on, nothing of it is sent any more, and its contacts, devices, templates,
            workflows and everything that was sent are removed. Nothing of it can be brought back.
          </p>
        </Confirm>
      )}
      {asking === "reissue" && <Reissue appId={appId} onClose={() => setAsking(null)} />}
      {asking === "off" && (
        <Confirm
          title="Switch identity verification off?"
          words="Switch it off"
          isBusy={change.isPending}
          error={<ErrorNotice error={change.error} />}
          onClose={() => setAsking(null)}
          onConfirm={() => change.mutate({ id: one.id, input: { identityVerification: false } })}
        >
          <p>
            User ids become public information. Whoever has the public key, which every visitor has, and knows or
            guesses a user's id can read that person's inbox and register devices that get their messages.
          </p>
        </Confirm>
      )}
    </>
  )
}
