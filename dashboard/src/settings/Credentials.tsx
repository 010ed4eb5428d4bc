import { Fragment, useId, useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { ThisBrowser } from "../home/FirstSteps.tsx"
import { PROVIDER } from "../notifications/words.ts"
import { AreaField, Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { readJson } from "../parts/json.ts"
import { Card, Chip, Confirm, Dialog, GoBack, Loading, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { settingWords, shownSettings, suspensionWords } from "./credentialWords.ts"
import type { CheckCredentialMutation, CredentialsQuery } from "./operations.ts"
import { checkCredential, credentials, deleteCredential, setApns, setFcm, setSmtp, setWebPush } from "./operations.ts"

type Credential = CredentialsQuery["credentials"][number]
type Kind = Credential["kind"]

const ABOUT: Readonly<Record<Kind, string>> = {
  APNS: "Push to iPhones and iPads, straight to Apple. The key is made in Apple's developer account, under Keys.",
  FCM: "Push to Android, through Firebase. The file is made in the Firebase console, under Service accounts.",
  WEBPUSH: "Push to browsers. The keys are made here; browsers' services want an address that they can write to.",
  SMTP: "E-mail, through any SMTP server."
}

/** What each kind asks for; a secret is never shown again, and is typed anew to change anything. */
interface Asked {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isLong?: boolean
  /** It comes as a file of these kinds. */
  readonly accept?: string
  readonly isOptional?: boolean
  readonly type?: string
  /** As `settings` calls it, where it is shown. */
  readonly shown?: string
}
const FIELDS: Readonly<Record<Kind, ReadonlyArray<Asked>>> = {
  APNS: [
    { name: "teamId", label: "Team id", shown: "team_id", hint: "Ten capital letters and digits." },
    { name: "keyId", label: "Key id", shown: "key_id" },
    { name: "bundleId", label: "Bundle id", shown: "bundle_id", hint: "As com.example.app." },
    { name: "privateKey", label: "Private key", isLong: true, hint: "The whole .p8 file.", accept: ".p8,.pem" },
    {
      name: "endpoint",
      label: "Other address",
      shown: "endpoint",
      isOptional: true,
      hint: "For proxies and simulators."
    },
    {
      name: "sandboxEndpoint",
      label: "Other address of the sandbox",
      shown: "sandbox_endpoint",
      isOptional: true,
      hint: "The same, for devices of the sandbox."
    }
  ],
  FCM: [
    {
      name: "serviceAccount",
      label: "Service account",
      isLong: true,
      hint: "The whole JSON file.",
      accept: ".json,application/json"
    },
    {
      name: "endpoint",
      label: "Other address",
      shown: "endpoint",
      isOptional: true,
      hint: "For proxies and simulators."
    }
  ],
  WEBPUSH: [
    { name: "subject", label: "Contact", shown: "subject", hint: "mailto: with an address, or an https address." }
  ],
  SMTP: [
    { name: "url", label: "Server", type: "password", hint: "As smtps://user:password@mail.example.com." },
    { name: "from", label: "Sender", shown: "from", hint: "As News <news@example.com>." }
  ]
}

/** Fills a field from the file that the provider hands out, as it is. */
const FromFile = ({
  accept,
  label,
  onText
}: {
  readonly label: string
  readonly accept: string
  readonly onText: (text: string) => void
}) => {
  const id = useId()
  return (
    <p className="from-file">
      <label htmlFor={id}>{label} from a file</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onChange={async ({ target }) => {
          const text = await target.files?.[0]?.text()
          if (text !== undefined) onText(text)
        }}
      />
    </p>
  )
}

const Edit = ({
  appId,
  kind,
  now,
  onClose,
  onSaved
}: {
  readonly appId: string
  readonly kind: Kind
  readonly now: Credential | null
  readonly onClose: () => void
  readonly onSaved: () => void
}) => {
  const kept = (now?.settings ?? {}) as Readonly<Record<string, unknown>>
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      FIELDS[kind].map(({ name, shown }) => [
        name,
        shown && typeof kept[shown] === "string" ? (kept[shown] as string) : ""
      ])
    )
  )
  const [fault, setFault] = useState<string | null>(null)
  const done = () => {
    toast("Saved: what waited for it goes out now")
    onClose()
    onSaved()
  }
  const saving = {
    APNS: useDo(setApns, done),
    FCM: useDo(setFcm, done),
    WEBPUSH: useDo(setWebPush, done),
    SMTP: useDo(setSmtp, done)
  }[kind]
  const save = (): void => {
    const given: Record<string, unknown> = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value.trim() !== "")
    )
    if (kind === "FCM") {
      const { broken, value, wrong } = readJson(values["serviceAccount"] ?? "")
      if (broken !== null || wrong !== null) return setFault("is not the JSON file that Firebase hands out")
      given["serviceAccount"] = value
    }
    setFault(null)
    saving.mutate({ appId, input: given as never })
  }
  return (
    <Dialog title={PROVIDER[kind]!} onClose={onClose} className="wide">
      <p className="muted">{ABOUT[kind]}</p>
      <Form error={saving.error} onSubmit={save}>
        {FIELDS[kind].map(({ accept, hint, isLong, isOptional, label, name, type }) => {
          const common = {
            label: isOptional ? `${label} (may be left out)` : label,
            name,
            value: values[name] ?? "",
            onChange: (value: string) => setValues({ ...values, [name]: value }),
            hint,
            spellCheck: false,
            autoComplete: "off"
          }
          return isLong ? (
            <Fragment key={name}>
              <AreaField {...common} rows={5} />
              {accept && <FromFile label={label} accept={accept} onText={common.onChange} />}
            </Fragment>
          ) : (
            <TextField key={name} {...common} type={type ?? "text"} />
          )
        })}
        {fault && <p className="fault">The service account {fault}.</p>}
        <ErrorNotice error={saving.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={saving.isPending}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

type Check = CheckCredentialMutation["checkCredential"]

const CHECKED: Readonly<
  Record<Check["status"], readonly [tone: "good" | "danger" | "warning" | "info", words: string]>
> = {
  ACCEPTED: ["good", "The provider accepts it."],
  REFUSED: ["danger", "It is refused:"],
  UNREACHABLE: ["warning", "The provider could not be asked:"],
  UNASKED: ["info", ""]
}

/** What the provider said a moment ago. */
const Checked = ({ check: { checkedAt, reason, status } }: { readonly check: Check }) => {
  const [tone, words] = CHECKED[status]
  return (
    <p role="status" className={`notice ${tone}`}>
      <strong>{words}</strong> {reason !== null && suspensionWords(reason)} <When at={checkedAt} />
    </p>
  )
}

const KINDS: ReadonlyArray<Kind> = ["APNS", "FCM", "WEBPUSH", "SMTP"]

export const Credentials = () => {
  const { appId, may } = useApp()
  const shown = useAsk(credentials, { appId }, { every: 10_000 })
  const [edited, setEdited] = useState<Kind | null>(null)
  const [removed, setRemoved] = useState<Kind | null>(null)
  const remove = useDo(deleteCredential, () => {
    setRemoved(null)
    toast("Removed")
  })
  const [checks, setChecks] = useState<Readonly<Partial<Record<Kind, Check>>>>({})
  const check = useDo(checkCredential, ({ checkCredential: one }) => setChecks({ ...checks, [one.kind]: one }))
  const canChange = may("CHANGE_CREDENTIALS")
  const found = (kind: Kind) => shown.data?.credentials.find((one) => one.kind === kind) ?? null
  if (shown.data === undefined)
    return shown.error ? <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} /> : <Loading />
  return (
    <>
      <ErrorNotice error={shown.error} />
      {KINDS.map((kind) => {
        const one = found(kind)
        const settings = shownSettings(one?.settings)
        return (
          <Card
            key={kind}
            title={PROVIDER[kind]!}
            actions={
              canChange && (
                <>
                  <Button kind={one?.suspendedReason ? "primary" : "plain"} onClick={() => setEdited(kind)}>
                    {one === null ? "Set up" : one.suspendedReason ? "Mend" : "Change"}…
                    <span className="unseen"> {PROVIDER[kind]}</span>
                  </Button>
                  {one !== null && (
                    <Button
                      isBusy={check.isPending && check.variables.kind === kind}
                      onClick={() => check.mutate({ appId, kind })}
                    >
                      Check<span className="unseen"> {PROVIDER[kind]}</span>
                    </Button>
                  )}
                  {one !== null && (
                    <Button kind="quiet" onClick={() => setRemoved(kind)}>
                      Remove…<span className="unseen"> {PROVIDER[kind]}</span>
                    </Button>
                  )}
                </>
              )
            }
          >
            <p>
              {one === null ? (
                <Chip tone="still">Not set up</Chip>
              ) : one.suspendedReason ? (
                <Chip tone="bad">Refused by the provider</Chip>
              ) : (
                <Chip tone="good">Ready</Chip>
              )}
            </p>
            {one?.suspendedReason && (
              <p className="notice danger">
                <strong>{suspensionWords(one.suspendedReason)}</strong> Messages wait, and go out by themselves once it
                is mended.
              </p>
            )}
            {check.variables?.kind === kind && <ErrorNotice error={check.error} />}
            {checks[kind] && <Checked check={checks[kind]} />}
            {kind === "WEBPUSH" && checks[kind] && <ThisBrowser appId={appId} hasKeys />}
            {one === null ? (
              <p className="muted">{ABOUT[kind]}</p>
            ) : (
              <dl className="facts">
                {settings.map(([name, value]) => (
                  <div key={name}>
                    <dt>{settingWords(name)}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
                <div>
                  <dt>Changed</dt>
                  <dd>
                    <When at={one.updatedAt} />
                  </dd>
                </div>
              </dl>
            )}
          </Card>
        )
      })}
      {edited !== null && (
        <Edit
          appId={appId}
          kind={edited}
          now={found(edited)}
          onClose={() => setEdited(null)}
          onSaved={() => check.mutate({ appId, kind: edited })}
        />
      )}
      {removed !== null && (
        <Confirm
          title={`Remove the credential for ${PROVIDER[removed]}?`}
          words="Remove it"
          isBusy={remove.isPending}
          error={<ErrorNotice error={remove.error} />}
          onClose={() => setRemoved(null)}
          onConfirm={() => remove.mutate({ appId, kind: removed })}
        >
          <p>
            Recipients of {PROVIDER[removed]} get nothing from then on.
            {removed === "WEBPUSH" &&
              " Browsers have subscribed with its keys: with new ones, each has to visit your site again."}
          </p>
        </Confirm>
      )}
    </>
  )
}
