import { useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { ask } from "../api/request.ts"
import { leave } from "../frame/leave.ts"
import { useViewer } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Card, Chip, Confirm, Dialog, GoBack, Loading, Page, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { OUTCOMES, providerName } from "../sign-in/outcomes.ts"
import {
  account,
  changeEmail,
  confirmExternal,
  deleteAccount,
  endSession,
  exportData,
  renameAccount,
  requestConfirmation,
  requestDeletionCode,
  requestEmailChange,
  signOutEverywhere,
  unbind
} from "./operations.ts"

/** Hands a value to the person as a file. */
const download = (name: string, value: unknown): void => {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: "application/json" }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** What a browser calls itself, as one would say it. */
const browserOf = (agent: string): string => {
  const browser = /Edg\//.test(agent)
    ? "Edge"
    : /Firefox\//.test(agent)
      ? "Firefox"
      : /Chrome\//.test(agent)
        ? "Chrome"
        : /Safari\//.test(agent)
          ? "Safari"
          : null
  const system = /iPhone|iPad/.test(agent)
    ? "iOS"
    : /Android/.test(agent)
      ? "Android"
      : /Mac OS/.test(agent)
        ? "macOS"
        : /Windows/.test(agent)
          ? "Windows"
          : /Linux/.test(agent)
            ? "Linux"
            : null
  if (browser === null) return agent.slice(0, 60) || "Unknown"
  return system === null ? browser : `${browser} on ${system}`
}

const ChangeAddress = ({ onClose }: { readonly onClose: () => void }) => {
  const [email, setEmail] = useState("")
  const [codes, setCodes] = useState<readonly [string, string] | null>(null)
  const request = useDo(requestEmailChange, () => setCodes(["", ""]))
  const change = useDo(changeEmail, () => {
    toast("Changed: all other sessions have ended")
    onClose()
  })
  return (
    <Dialog title="Change the address" onClose={onClose}>
      {codes === null ? (
        <Form error={request.error} onSubmit={() => request.mutate({ email })}>
          <TextField label="New address" name="email" type="email" value={email} onChange={setEmail} autoFocus />
          <ErrorNotice error={request.error} />
          <Button type="submit" kind="primary" isBusy={request.isPending}>
            Send both codes
          </Button>
        </Form>
      ) : (
        <Form error={change.error} onSubmit={() => change.mutate({ code: codes[0], newCode: codes[1] })}>
          <p>One code went to the address that you have, and one to {email}.</p>
          <TextField
            label="Code from the address that you have"
            name="code"
            inputMode="numeric"
            value={codes[0]}
            onChange={(code) => setCodes([code, codes[1]])}
            autoFocus
          />
          <TextField
            label="Code from the new address"
            name="newCode"
            inputMode="numeric"
            value={codes[1]}
            onChange={(code) => setCodes([codes[0], code])}
          />
          <ErrorNotice error={change.error} />
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Change it
          </Button>
        </Form>
      )}
    </Dialog>
  )
}

/** Asks for the code by which a provider's account is bound whose word for the address is not enough. */
const ConfirmExternal = ({ email, provider }: { readonly email: string; readonly provider: string }) => {
  const [code, setCode] = useState<string | null>(null)
  const navigate = useNavigate()
  const request = useDo(requestConfirmation, () => setCode(""))
  const confirm = useDo(
    confirmExternal,
    () =>
      void navigate({
        to: "/account",
        search: { external_sign_in: "bound", provider: provider.toLowerCase() } as never,
        replace: true
      })
  )
  return (
    <Card title={`Add ${providerName(provider)}`}>
      {code === null ? (
        <Form error={request.error} onSubmit={() => request.mutate({})}>
          <p>
            {providerName(provider)} says that {email} is yours. A code that goes there proves it.
          </p>
          <ErrorNotice error={request.error} />
          <Button type="submit" kind="primary" isBusy={request.isPending}>
            Send me the code
          </Button>
        </Form>
      ) : (
        <Form error={confirm.error} onSubmit={() => confirm.mutate({ code })}>
          <TextField
            label={`Code that went to ${email}`}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            value={code}
            onChange={setCode}
            autoFocus
          />
          <ErrorNotice error={confirm.error} />
          <Button type="submit" kind="primary" isBusy={confirm.isPending}>
            Add {providerName(provider)}
          </Button>
        </Form>
      )}
    </Card>
  )
}

const DeleteAccount = ({ email, onClose }: { readonly email: string; readonly onClose: () => void }) => {
  const [code, setCode] = useState<string | null>(null)
  const client = useQueryClient()
  const owned = useViewer().data?.organizations.filter(({ role }) => role === "OWNER") ?? []
  const request = useDo(requestDeletionCode, () => setCode(""))
  const remove = useDo(deleteAccount, () => leave(client))
  return (
    <Dialog title="Delete your account" isKept onClose={onClose}>
      <div className="stack">
        <p>
          Organizations whose only member you are go with it: their applications, contacts and everything that was sent.
        </p>
        <p className="muted">
          While an organization with other members would be left without an owner, make one of them an owner first. One
          that has payments cannot go, because financial records are kept.
        </p>
        {owned.length > 0 && (
          <ul className="muted">
            {owned.map(({ id, name }) => (
              <li key={id}>
                <Link to="/organizations/$organizationId" params={{ organizationId: id }}>
                  Team of {name}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
      {code === null ? (
        <Form error={request.error} onSubmit={() => request.mutate({ email })}>
          <ErrorNotice error={request.error} />
          <div className="dialog-actions">
            <GoBack />
            <Button type="submit" kind="danger" isBusy={request.isPending}>
              Send me the code for it
            </Button>
          </div>
        </Form>
      ) : (
        <Form error={remove.error} onSubmit={() => remove.mutate({ code })}>
          <TextField
            label={`Code that went to ${email}`}
            name="code"
            inputMode="numeric"
            value={code}
            onChange={setCode}
            autoFocus
          />
          <ErrorNotice error={remove.error} />
          <div className="dialog-actions">
            <GoBack />
            <Button type="submit" kind="danger" isBusy={remove.isPending}>
              Delete my account
            </Button>
          </div>
        </Form>
      )}
    </Dialog>
  )
}

/** One's own account: name, sign-ins, sessions, data. */
export const Account = () => {
  const shown = useAsk(account, {})
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const outcome = Object.hasOwn(OUTCOMES, search["external_sign_in"] ?? "")
    ? OUTCOMES[search["external_sign_in"]!]!
    : null
  const [name, setName] = useState<string | null>(null)
  const [asking, setAsking] = useState<"address" | "delete" | "everywhere" | null>(null)
  const [exportError, setExportError] = useState<unknown>(null)
  const client = useQueryClient()
  const rename = useDo(renameAccount, () => {
    setName(null)
    toast("Saved")
  })
  const end = useDo(endSession, () => toast("That session has ended"))
  const everywhere = useDo(signOutEverywhere, () => leave(client))
  const remove = useDo(unbind, () => toast("Removed"))
  const me = shown.data?.me
  if (!shown.data || !me) {
    return (
      <Page title="Account and security">
        {shown.error ? <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} /> : <Loading />}
      </Page>
    )
  }
  const { sessions, signInOptions } = shown.data
  const bound = new Set(me.externalSignIns.map(({ provider }) => provider))
  return (
    <Page title="Account and security" above={<Link to="/">To the applications</Link>}>
      {outcome && (
        <p className={`notice ${search["external_sign_in"] === "bound" ? "info" : "warning"}`} role="status">
          <strong>{outcome[0]}.</strong> {outcome[1](providerName(search["provider"]))}
        </p>
      )}
      {search["external_sign_in"] === "code" && signInOptions.pending && <ConfirmExternal {...signInOptions.pending} />}
      <Card title="You" actions={<Button onClick={() => setAsking("address")}>Change the address…</Button>}>
        <p>{me.email}</p>
        <Form className="inline" error={rename.error} onSubmit={() => rename.mutate({ name: name ?? me.name })}>
          <TextField label="Name" name="name" value={name ?? me.name} onChange={setName} autoComplete="name" />
          <Button type="submit" isBusy={rename.isPending}>
            Save
          </Button>
        </Form>
        <ErrorNotice error={rename.error} />
      </Card>
      <Card title="External sign-ins">
        <p className="muted">A code by mail always signs in. These do as well:</p>
        <ErrorNotice error={remove.error} />
        <ul className="recent">
          {me.externalSignIns.map(({ createdAt, email, id, provider }) => (
            <li key={id}>
              <strong>{providerName(provider)}</strong>
              <span className="muted">{email}</span>
              <span className="muted small">
                added <When at={createdAt} />
              </span>
              <Button kind="quiet" isBusy={remove.isPending} onClick={() => remove.mutate({ id })}>
                Remove<span className="unseen"> {providerName(provider)}</span>
              </Button>
            </li>
          ))}
          {signInOptions.providers
            .filter((provider) => !bound.has(provider))
            .map((provider) => (
              <li key={provider}>
                <a
                  className="button plain"
                  href={`/api/auth/oauth/${provider.toLowerCase()}/start?mode=link&return_to=/account`}
                >
                  Add {providerName(provider)}
                </a>
              </li>
            ))}
        </ul>
        {signInOptions.providers.length === 0 && bound.size === 0 && (
          <p className="muted small">Those who run this service have set none up.</p>
        )}
      </Card>
      <Card title="Sessions" actions={<Button onClick={() => setAsking("everywhere")}>Sign out everywhere…</Button>}>
        <ErrorNotice error={end.error} />
        <ul className="recent">
          {sessions.map(({ id, isCurrent, lastUsedAt, userAgent }) => (
            <li key={id}>
              <span>{browserOf(userAgent)}</span>
              {isCurrent && <Chip tone="good">This one</Chip>}
              <span className="muted small">
                used <When at={lastUsedAt} />
              </span>
              {!isCurrent && (
                <Button kind="quiet" onClick={() => end.mutate({ id })}>
                  End<span className="unseen"> the session of {browserOf(userAgent)}</span>
                </Button>
              )}
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Your data">
        <ErrorNotice error={exportError} />
        <div className="actions">
          <Button
            onClick={() => {
              setExportError(null)
              ask(exportData, {}).then(
                ({ exportMyAccountData }) => download("heliograph-account.json", exportMyAccountData),
                setExportError
              )
            }}
          >
            Download everything that is kept about you
          </Button>
          <Button kind="danger" onClick={() => setAsking("delete")}>
            Delete the account…
          </Button>
        </div>
      </Card>
      {asking === "address" && <ChangeAddress onClose={() => setAsking(null)} />}
      {asking === "delete" && <DeleteAccount email={me.email} onClose={() => setAsking(null)} />}
      {asking === "everywhere" && (
        <Confirm
          title="Sign out everywhere?"
          words="Sign out everywhere"
          isBusy={everywhere.isPending}
          error={<ErrorNotice error={everywhere.error} />}
          onClose={() => setAsking(null)}
          onConfirm={() => everywhere.mutate({})}
        >
          <p>All sessions end at once, this one too.</p>
        </Confirm>
      )}
    </Page>
  )
}
