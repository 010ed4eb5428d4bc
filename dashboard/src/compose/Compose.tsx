import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useId, useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { ask } from "../api/request.ts"
import { useApp, useViewer } from "../frame/viewer.ts"
import { notifications } from "../notifications/operations.ts"
import { audienceWords, PROVIDER } from "../notifications/words.ts"
import {
  AreaField,
  Button,
  Check,
  Choice,
  ErrorNotice,
  Form,
  SelectField,
  TextField,
  useDraft
} from "../parts/form.tsx"
import { Card, Confirm, Dialog, Empty, GoBack, Loading, Page } from "../parts/page.tsx"
import { useRested } from "../parts/rested.ts"
import { bytes, count, counted, dayWords, LAST_DAY, LAST_MINUTE, lasting, moment, zone } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { useSegments, useTemplates } from "./choices.ts"
import type { Draft } from "./draft.ts"
import { audienceAlone, EMPTY, hasMail, hasWay, inputOf, listed, PLATFORM, testOf } from "./draft.ts"
import { idsIn } from "./fromFile.ts"
import type { NotificationInput, Platform, PreviewQuery, Way } from "./operations.ts"
import { preview, revise, send, written } from "./operations.ts"
import { Previews } from "./Previews.tsx"
import type { Written } from "./written.ts"
import { changesOf, writtenOf } from "./written.ts"

interface PartProps {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
}

const toggled = <One,>(all: ReadonlyArray<One>, one: One, isIn: boolean): ReadonlyArray<One> =>
  isIn ? [...all, one] : all.filter((other) => other !== one)

/** Fills a list from a file of one's own. */
const FromFile = ({ onIds }: { readonly onIds: (text: string) => void }) => {
  const [fault, setFault] = useState<string | null>(null)
  const id = useId()
  return (
    <p className="from-file">
      <label htmlFor={id}>From a file (CSV, or one a line)</label>
      <input
        id={id}
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        aria-describedby={fault === null ? undefined : `${id}-fault`}
        onChange={async ({ target }) => {
          const [file] = target.files ?? []
          if (file === undefined) return
          const read = await idsIn(file)
          // The same file can be chosen again after it was mended.
          target.value = ""
          if ("ids" in read) onIds(read.ids.join("\n"))
          setFault("fault" in read ? read.fault : null)
        }}
      />
      {fault && (
        <span id={`${id}-fault`} className="fault" role="alert">
          {fault}
        </span>
      )}
    </p>
  )
}

const Who = ({
  change,
  draft,
  kept,
  segments
}: PartProps & {
  /** An audience that the form cannot say. */
  readonly kept: NotificationInput["to"] | null
} & { readonly segments: ReadonlyArray<{ readonly id: string; readonly name: string }> }) => (
  <Card title="Who">
    <Choice
      label="Audience"
      value={draft.audience}
      onChange={(audience) => change({ audience })}
      options={[
        ...(kept === null ? [] : [["kept", audienceWords(kept as never)] as const]),
        ["described", "By what they are"],
        ["segment", "A segment"],
        ["people", "Named people"],
        ["emails", "Addresses"],
        ["everyone", "Everyone"]
      ]}
    />
    {draft.audience === "described" && (
      <div className="grid two">
        <TextField
          label="With any of these tags"
          name="tagsAny"
          value={draft.tagsAny}
          onChange={(tagsAny) => change({ tagsAny })}
          placeholder="news, beta"
        />
        <TextField
          label="With all of these tags"
          name="tagsAll"
          value={draft.tagsAll}
          onChange={(tagsAll) => change({ tagsAll })}
        />
        <TextField
          label="Language"
          name="locale"
          value={draft.locale}
          onChange={(locale) => change({ locale })}
          placeholder="de"
          hint="As contacts have it: de also stands for de-AT."
        />
        <TextField
          label="Time zone"
          name="timezone"
          value={draft.timezone}
          onChange={(timezone) => change({ timezone })}
          placeholder="Europe/Berlin"
        />
        <fieldset className="checks">
          <legend>Platforms</legend>
          {(["IOS", "ANDROID", "WEB"] as const satisfies ReadonlyArray<Platform>).map((one) => (
            <Check
              key={one}
              label={{ IOS: "iOS", ANDROID: "Android", WEB: "Web" }[one]}
              isChecked={draft.platforms.includes(one)}
              onChange={(isIn) => change({ platforms: toggled(draft.platforms, one, isIn) })}
            />
          ))}
        </fieldset>
      </div>
    )}
    {draft.audience === "segment" && (
      <SelectField
        label="Segment"
        name="segmentId"
        value={draft.segmentId}
        onChange={(segmentId) => change({ segmentId })}
        options={[
          ["", segments.length === 0 ? "There is no segment yet" : "Choose one"],
          ...segments.map(({ id, name }) => [id, name] as const)
        ]}
      />
    )}
    {draft.audience === "people" && (
      <AreaField
        label="Their ids, as your application calls them"
        name="userIds"
        value={draft.people}
        onChange={(people) => change({ people })}
        hint={`One a line, or divided by commas. ${counted(listed(draft.people).length, "person", "people")} so far.`}
      />
    )}
    {draft.audience === "people" && <FromFile onIds={(people) => change({ people })} />}
    {draft.audience === "emails" && (
      <AreaField
        label="Addresses"
        name="emails"
        value={draft.emails}
        onChange={(emails) => change({ emails })}
        hint={`One a line, or divided by commas. ${counted(listed(draft.emails).length, "address", "addresses")} so far.`}
      />
    )}
    {draft.audience === "emails" && <FromFile onIds={(emails) => change({ emails })} />}
    {draft.audience !== "emails" && (
      <fieldset className="checks">
        <legend>Ways</legend>
        {(["PUSH", "EMAIL", "INBOX"] as const satisfies ReadonlyArray<Way>).map((one) => (
          <Check
            key={one}
            label={{ PUSH: "Push", EMAIL: "E-mail", INBOX: "Inbox" }[one]}
            isChecked={draft.ways.includes(one)}
            onChange={(isIn) => change({ ways: toggled(draft.ways, one, isIn) })}
          />
        ))}
      </fieldset>
    )}
  </Card>
)

const EXAMPLE = {
  apns: '{"aps": {"sound": "default", "badge": 1}}',
  fcm: '{"android": {"notification": {"channel_id": "orders"}}}',
  web: '{"icon": "https://example.com/icon.png", "require_interaction": true}'
} as const

/** What is written here is kept while one looks there. */
const ToTemplates = ({ id }: { readonly id: string }) => {
  const { appId } = useApp()
  return id === "" ? (
    <Link to="/apps/$appId/templates" params={{ appId }}>
      All templates
    </Link>
  ) : (
    <Link to="/apps/$appId/templates/$id" params={{ appId, id }}>
      Look at it, or change it
    </Link>
  )
}

const What = ({
  change,
  draft,
  templates
}: PartProps & { readonly templates: ReadonlyArray<{ readonly id: string; readonly name: string }> }) => (
  <Card title="What">
    <Choice
      label="Message"
      value={draft.source}
      onChange={(source) => change({ source })}
      options={[
        ["written", "Written here"],
        ["template", "From a template"]
      ]}
    />
    {draft.source === "template" ? (
      <>
        <SelectField
          label="Template"
          name="templateId"
          value={draft.templateId}
          onChange={(templateId) => change({ templateId })}
          hint={<ToTemplates id={draft.templateId} />}
          options={[
            ["", templates.length === 0 ? "There is no template yet" : "Choose one"],
            ...templates.map(({ id, name }) => [id, name] as const)
          ]}
        />
        <AreaField
          label="Variables, as JSON"
          name="variables"
          value={draft.variables}
          onChange={(variables) => change({ variables })}
          placeholder='{"offer": "20 %"}'
          spellCheck={false}
        />
      </>
    ) : (
      <>
        <TextField label="Title" name="title" value={draft.title} onChange={(title) => change({ title })} />
        <AreaField label="Body" name="body" value={draft.body} onChange={(body) => change({ body })} rows={3} />
        <div className="grid two">
          <TextField
            label="Leads to"
            name="url"
            type="url"
            value={draft.url}
            onChange={(url) => change({ url })}
            placeholder="https://…"
          />
          <TextField
            label="Picture"
            name="image"
            type="url"
            value={draft.image}
            onChange={(image) => change({ image })}
            placeholder="https://…"
          />
        </div>
        {hasMail(draft) && (
          <>
            <TextField
              label="Subject of the e-mail"
              name="subject"
              value={draft.subject}
              onChange={(subject) => change({ subject })}
              hint="The title, unless given."
            />
            <AreaField
              label="HTML of the e-mail"
              name="html"
              value={draft.html}
              onChange={(html) => change({ html })}
              rows={6}
              spellCheck={false}
              hint="The body, unless given."
            />
          </>
        )}
      </>
    )}
    {hasWay(draft, "PUSH") && (
      <details open={`${draft.apns}${draft.fcm}${draft.web}` !== "" || undefined}>
        <summary>For one platform alone</summary>
        <p className="muted small">
          What iOS, Android or browsers get beside the message, or instead of a part of it: JSON as their providers take
          it.
        </p>
        {(["apns", "fcm", "web"] as const).map((name) => (
          <AreaField
            key={name}
            label={`For ${PLATFORM[name]}`}
            name={`overrides.${name}`}
            value={draft[name]}
            onChange={(text) => change({ [name]: text })}
            rows={2}
            spellCheck={false}
            placeholder={EXAMPLE[name]}
          />
        ))}
      </details>
    )}
  </Card>
)

const Timing = ({ change, draft }: PartProps) => (
  <Card title="When">
    <Choice
      label="Time"
      value={draft.when}
      onChange={(when) => change({ when })}
      options={[
        ["now", "Now"],
        ["at", "At a moment"],
        ["local", "By everybody's own clock"]
      ]}
    />
    {draft.when === "at" && (
      <TextField
        label={`Moment, in ${zone}`}
        name="sendAt"
        type="datetime-local"
        max={LAST_MINUTE}
        value={draft.at}
        onChange={(at) => change({ at })}
      />
    )}
    {draft.when === "local" && (
      <div className="grid two">
        <TextField
          label="Day"
          name="sendAt"
          type="date"
          max={LAST_DAY}
          value={draft.day}
          onChange={(day) => change({ day })}
        />
        <TextField
          label="Time on their clock"
          name="localTime"
          type="time"
          value={draft.localTime}
          onChange={(localTime) => change({ localTime })}
        />
      </div>
    )}
    <div className="grid two">
      <TextField
        label="Give up after hours"
        name="ttl"
        inputMode="decimal"
        value={draft.ttlHours}
        onChange={(ttlHours) => change({ ttlHours })}
        hint="Left empty: as long as the service is set to, three days unless its operator says otherwise."
      />
      <Check
        label="Before everything else"
        hint="For what cannot wait, not for mailings."
        isChecked={draft.isUrgent}
        onChange={(isUrgent) => change({ isUrgent })}
      />
    </div>
  </Card>
)

type Providers = PreviewQuery["previewNotification"]["providers"]

const Reach = ({
  isWritten,
  providers
}: {
  readonly providers: Providers
  /** There is a message, whose size can be told. */
  readonly isWritten: boolean
}) => (
  <ul className="reach">
    {providers.map(({ credential, payload, problem, provider, recipients }) => (
      <li key={provider}>
        <span>
          <strong>{count(recipients)}</strong> {PROVIDER[provider] ?? provider}
        </span>
        {isWritten && payload && (
          <span className={payload.fits ? "muted small" : "bad-text small"}>
            {bytes(payload.bytes)} of {bytes(payload.limit)}
            {!payload.fits && ": too long"}
          </span>
        )}
        {credential !== "READY" && provider !== "INBOX" && (
          <p className="fault">
            {credential === "MISSING"
              ? "No credential is set: these get nothing."
              : "The provider refuses the credential: these wait until it is mended."}
          </p>
        )}
        {isWritten && problem && (
          <p className="fault">
            {problem.field}: {problem.message}
          </p>
        )}
      </li>
    ))}
  </ul>
)

const TestSend = ({
  appId,
  email,
  input,
  onClose
}: {
  readonly appId: string
  readonly email: string
  readonly input: NotificationInput
  readonly onClose: () => void
}) => {
  const [to, setTo] = useState<"email" | "user">("email")
  const [user, setUser] = useState("")
  const sending = useDo(
    send,
    () => {
      toast("The test is on its way")
      onClose()
    },
    { once: true }
  )
  const target = to === "email" ? { emails: [email] } : { userIds: [user.trim()] }
  return (
    <Dialog title="Send a test" onClose={onClose}>
      <Form error={sending.error} onSubmit={() => sending.mutate({ appId, input: testOf(input, target) })}>
        <Choice
          label="To"
          value={to}
          onChange={setTo}
          options={[
            ["email", "My address, by e-mail"],
            ["user", "A person, by your own id"]
          ]}
        />
        {to === "email" ? (
          <p className="muted">{email}</p>
        ) : (
          <TextField label="Id of the person" name="userIds" value={user} onChange={setUser} autoFocus />
        )}
        <ErrorNotice error={sending.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={sending.isPending}>
            Send the test
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** How fast the last mailings went, people a second; null when there was none to tell by. */
const useSpeed = (appId: string): number | null => {
  const last = useAsk(notifications, { appId, status: "COMPLETED", first: 20 })
  const speeds = (last.data?.notifications.nodes ?? []).flatMap(({ completedAt, counts, startedAt }) => {
    const seconds = startedAt && completedAt ? (Date.parse(completedAt) - Date.parse(startedAt)) / 1000 : 0
    return counts.accepted >= 100 && seconds > 0 ? [counts.accepted / seconds] : []
  })
  return speeds.length === 0 ? null : speeds.toSorted((a, b) => a - b)[Math.floor(speeds.length / 2)]!
}

interface Beginning {
  readonly id: string
  /** Tells one state of it from the next: what was typed over one is no draft of the other. */
  readonly updatedAt: string | null
  /** Whether it is another one that begins as this one, or the same that is changed. */
  readonly isAnother: boolean
  readonly written: Written
}

const Writer = ({
  beginning,
  segmentId
}: {
  readonly beginning: Beginning | null
  /** To whom, where the page of a segment led here. */
  readonly segmentId?: string | undefined
}) => {
  const { appId, application } = useApp()
  const email = useViewer().data?.me?.email ?? ""
  // Answers that come while one writes change nothing of what one began with.
  const [from] = useState(beginning)
  const edited = from !== null && !from.isAnother ? from : null
  const [initial] = useState<Draft>(
    () => from?.written.draft ?? (segmentId === undefined ? EMPTY : { ...EMPTY, audience: "segment", segmentId })
  )
  const about = from === null ? (segmentId ?? "") : `${from.id} ${from.isAnother ? "like" : (from.updatedAt ?? "")}`
  const { change, forget, isChanged, value: draft } = useDraft<Draft>(`compose ${appId} ${about}`.trim(), initial)
  const kept = from?.written.kept
  const [step, setStep] = useState<"write" | "test" | "review">("write")
  const [wasTried, setTried] = useState(false)
  const navigate = useNavigate()
  const segments = useSegments(appId)
  const templates = useTemplates(appId)
  const speed = useSpeed(appId)
  const asked = inputOf(draft, kept)
  const input = "input" in asked ? asked.input : null
  const countable = input ?? audienceAlone(draft, kept)
  const rested = useRested(countable)
  const seen = useAsk(preview, { appId, input: rested! }, { enabled: rested !== null, keep: true })
  const reach = rested === null ? null : (seen.data?.previewNotification ?? null)
  // Until what would be sent now is counted, the page shows the number of what was there before.
  const isCounting = seen.isPending || seen.isPlaceholderData || JSON.stringify(rested) !== JSON.stringify(countable)
  const sure = isCounting ? null : reach
  const uncounted = isCounting ? "Counting…" : "Not known: they could not be counted"
  const show = (id: string, words: string): void => {
    forget()
    toast(words)
    void navigate({ to: "/apps/$appId/notifications/$id", params: { appId, id } })
  }
  const now = draft.when === "now"
  const sending = useDo(
    send,
    ({ sendNotification: { id } }) => show(id, now ? "It is on its way" : "It is scheduled"),
    { once: true }
  )
  const revising = useDo(revise, ({ updateNotification: { id } }) =>
    show(id, now ? "It is on its way" : "It is changed")
  )
  const doing = edited === null ? sending : revising
  const [isOthers, setOthers] = useState(false)
  const [basis, setBasis] = useState(from?.updatedAt ?? null)
  const carryOut = async (input: NotificationInput): Promise<void> => {
    if (edited === null) return sending.mutate({ appId, input })
    const there = await ask(written, { id: edited.id }).catch(() => null)
    if (there?.notification && there.notification.updatedAt !== basis) {
      setBasis(there.notification.updatedAt)
      return setOthers(true)
    }
    const before = inputOf(edited.written.draft, kept)
    // What could not be sent as it is has nothing to be compared with.
    revising.mutate({ id: edited.id, input: "input" in before ? changesOf(before.input, input) : input })
  }
  const samples = new Map(
    reach?.providers.flatMap(({ provider, sample }) => (sample ? [[provider, sample] as const] : []))
  )
  const go = (next: "test" | "review"): void => {
    setTried(true)
    if (input !== null) setStep(next)
  }
  const doingWords = (): string => {
    if (isCounting) return "Counting…"
    if (!now) return edited === null ? "Schedule it" : "Change it"
    return `Send to ${sure === null ? "them" : counted(sure.recipients, "recipient")}${edited === null ? "" : " now"}`
  }
  const lastingWords = (): string => {
    if (speed === null) return "Not known yet: no mailing to tell by"
    return sure === null ? uncounted : `${lasting(sure.recipients / speed)}, as fast as the last ones`
  }
  return (
    <Page
      title={edited === null ? "New notification" : "Change the notification"}
      above={
        from !== null && (
          <Link to="/apps/$appId/notifications/$id" params={{ appId, id: from.id }}>
            {from.written.draft.title || "The notification"}
          </Link>
        )
      }
      beside={isChanged && <span className="muted small">Draft kept in this tab</span>}
      actions={
        isChanged && (
          <Button kind="quiet" onClick={forget}>
            {edited === null ? "Begin anew" : "Drop the changes"}
          </Button>
        )
      }
    >
      <div className="compose">
        <Form className="compose-form" error={doing.error ?? seen.error} onSubmit={() => go("review")}>
          <Who draft={draft} change={change} kept={kept?.to ?? null} segments={segments.data ?? []} />
          <What draft={draft} change={change} templates={templates.data ?? []} />
          <Timing draft={draft} change={change} />
          {wasTried && "missing" in asked && (
            <p className="notice warning" role="alert">
              {asked.missing}
            </p>
          )}
          <div className="actions">
            <Button onClick={() => go("test")}>Send a test…</Button>
            <Button type="submit" kind="primary">
              {edited === null ? "Review and send…" : "Review the changes…"}
            </Button>
          </div>
        </Form>
        <aside className="compose-side" aria-label="Preview">
          <Card title="Who gets it">
            <ErrorNotice error={rested === null ? null : seen.error} />
            {reach === null ? (
              <p className="muted">{"missing" in asked ? asked.missing : "Counting…"}</p>
            ) : (
              <>
                <p className="big-number" aria-live="polite" aria-busy={isCounting}>
                  {reach.isExact ? "" : "about "}
                  {count(reach.recipients)} <span>{reach.recipients === 1 ? "recipient" : "recipients"}</span>
                </p>
                <Reach providers={reach.providers} isWritten={input !== null} />
                {"missing" in asked && <p className="muted">{asked.missing}</p>}
              </>
            )}
          </Card>
          {input !== null && samples.size > 0 && (
            <Card title="How it looks">
              <Previews app={application.name} samples={samples} />
            </Card>
          )}
        </aside>
      </div>
      {step === "test" && input !== null && (
        <TestSend appId={appId} email={email} input={input} onClose={() => setStep("write")} />
      )}
      {step === "review" && input !== null && (
        <Confirm
          title={edited === null ? "Send this?" : "Change it to this?"}
          words={doingWords()}
          doing="primary"
          isBusy={doing.isPending || isCounting}
          error={<ErrorNotice error={doing.error} />}
          onConfirm={() => void carryOut(input)}
          onClose={() => setStep("write")}
        >
          <dl className="facts">
            <div>
              <dt>To</dt>
              <dd>{audienceWords(input.to as never)}</dd>
            </div>
            <div>
              <dt>Recipients</dt>
              <dd>{sure === null ? uncounted : `${sure.isExact ? "" : "about "}${count(sure.recipients)}`}</dd>
            </div>
            <div>
              <dt>When</dt>
              <dd>
                {now && "Now"}
                {draft.when === "at" && moment(input.sendAt!)}
                {draft.when === "local" && `${dayWords(draft.day)}, at ${draft.localTime} on everybody's own clock`}
              </dd>
            </div>
            {input.ttl !== undefined && (
              <div>
                <dt>Given up</dt>
                <dd>{input.ttl === 0 ? "At once, where it cannot be sent" : `After ${lasting(input.ttl!)}`}</dd>
              </div>
            )}
            <div>
              <dt>Takes about</dt>
              <dd>{lastingWords()}</dd>
            </div>
            <div>
              <dt>Message</dt>
              <dd>
                {draft.source === "template"
                  ? `The template ${templates.data?.find(({ id }) => id === draft.templateId)?.name ?? ""}`
                  : [draft.subject, draft.title, draft.body]
                      .filter(Boolean)
                      .map((text, i) => <div key={i}>{text}</div>)}
              </dd>
            </div>
          </dl>
          {isOthers && (
            <div className="notice warning" role="alert">
              <p>
                <strong>Somebody else has changed this notification since you opened it.</strong> Do it again, and what
                you changed takes the place of theirs; or go back and look at it first.
              </p>
            </div>
          )}
        </Confirm>
      )}
    </Page>
  )
}

/** Writes a new notification (to a `?segment=`), one `?like=` another, or changes one that has not begun (`?edit=`). */
export const Compose = () => {
  const { may } = useApp()
  const { edit, like, segment } = useSearch({ strict: false }) as Readonly<
    Partial<Record<"edit" | "like" | "segment", string>>
  >
  const id = edit ?? like
  const shown = useAsk(written, { id: id! }, { enabled: id !== undefined })
  const one = shown.data?.notification ?? null
  if (!may(edit === undefined ? "SEND_NOTIFICATIONS" : "CONTROL_NOTIFICATIONS")) {
    return (
      <Page title="New notification">
        <p>Members of the organization send. Your role reads.</p>
      </Page>
    )
  }
  if (id === undefined) return <Writer key={segment} beginning={null} segmentId={segment} />
  if (one === null) {
    return (
      <Page title={edit === undefined ? "New notification" : "Change the notification"}>
        <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        {shown.isPending && <Loading />}
        {shown.data && <Empty title="It was removed after its time of keeping, or the address is wrong." />}
      </Page>
    )
  }
  const isAnother = edit === undefined
  return <Writer key={id} beginning={{ id, updatedAt: one.updatedAt, isAnother, written: writtenOf(one, isAnother) }} />
}
