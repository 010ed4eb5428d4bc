import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { untilEnded } from "../api/pace.ts"
import { useApp, useViewer } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip } from "../parts/page.tsx"
import type { FirstStepsQuery } from "./operations.ts"
import { firstPushState, firstSteps } from "./operations.ts"
import { isSubscribed, leaveThisBrowser, pushToThisBrowser } from "./thisBrowser.ts"

/** Milliseconds after which a push that was not seen needs a word of help. */
const LONG = 10_000

/** How far the push to this browser is, in words. */
const Arrival = ({ appId, id }: { readonly appId: string; readonly id: string }) => {
  const [begun] = useState(() => Date.now())
  const shown = useAsk(
    firstPushState,
    { id },
    { every: (answer) => untilEnded(answer?.notification?.counts, Date.now() - begun) }
  )
  const counts = shown.data?.notification?.counts
  const isLong = shown.dataUpdatedAt - begun > LONG
  return (
    <p role="status">
      {counts === undefined || counts.sent + counts.failed === 0 ? (
        isLong ? (
          "It waits. What needs attention, below, says why."
        ) : (
          "Sending …"
        )
      ) : counts.failed > 0 ? (
        <>
          It did not go out:{" "}
          <Link to="/apps/$appId/notifications/$id" params={{ appId, id }}>
            why
          </Link>
          .
        </>
      ) : counts.clicked > 0 ? (
        "Sent, shown, and clicked: opens and clicks are counted."
      ) : counts.delivered > 0 ? (
        "Sent, and shown by your browser. Click on it to see the click counted."
      ) : (
        `The push service has taken it: it should appear any moment.${isLong ? " If nothing does, look whether your system shows notifications of this browser, and whether “do not disturb” is on." : ""}`
      )}
    </p>
  )
}

/** One after the other: who leaves while a push is on its way would else be subscribed again by it. */
const IN_TURN = { scope: { id: "this browser" } }

/** Subscribes this browser, and sends it a push. */
export const ThisBrowser = ({ appId, hasKeys }: { readonly appId: string; readonly hasKeys: boolean }) => {
  const { may } = useApp()
  const email = useViewer().data?.me?.email
  const client = useQueryClient()
  const [has, setHas] = useState(() => isSubscribed(appId))
  const sending = useMutation({
    ...IN_TURN,
    mutationFn: () => pushToThisBrowser(appId, hasKeys ? null : `mailto:${email}`),
    networkMode: "always",
    onSuccess: async () => {
      setHas(true)
      await client.invalidateQueries()
    }
  })
  const leaving = useMutation({
    ...IN_TURN,
    mutationFn: () => leaveThisBrowser(appId),
    networkMode: "always",
    onSuccess: () => {
      setHas(false)
      sending.reset()
    }
  })
  const needed = [...(hasKeys ? [] : (["CHANGE_CREDENTIALS"] as const)), "CHANGE_API_KEYS" as const]
  if (!needed.every(may)) return <p className="muted">An admin of the organization can try it.</p>
  return (
    <>
      {sending.data !== undefined && <Arrival key={sending.data} appId={appId} id={sending.data} />}
      <ErrorNotice error={sending.error ?? leaving.error} />
      <p className="actions">
        <Button isBusy={sending.isPending} onClick={() => sending.mutate()}>
          {sending.data === undefined ? "Send a push to this browser" : "Send another"}
        </Button>
        {has && (
          <Button kind="quiet" isBusy={leaving.isPending} onClick={() => leaving.mutate()}>
            No more of them here
          </Button>
        )}
      </p>
    </>
  )
}

const Step = ({
  children,
  isDone,
  title
}: {
  readonly title: string
  readonly isDone: boolean
  readonly children: ReactNode
}) => (
  <li>
    <div>
      <h3>
        {title} {isDone ? <Chip tone="good">Done</Chip> : <Chip tone="still">To do</Chip>}
      </h3>
      {children}
    </div>
  </li>
)

const doneIn = ({ apiKeys, contacts, credentials, devices, hooks, recent }: FirstStepsQuery) => ({
  browser: recent.nodes.some(({ counts }) => counts.delivered > 0),
  call: apiKeys.nodes.some(({ kind, lastUsedAt }) => kind === "SECRET" && lastUsedAt !== null),
  provider: credentials.some(({ kind, suspendedReason }) => kind !== "WEBPUSH" && suspendedReason === null),
  // One device may be the browser that was tried.
  people: contacts.nodes.length > 0 || devices.nodes.length > 1,
  webhook: hooks.nodes.length > 0
})

/** The way to a first message, each step ticked by what has really happened; gone when all have, or when it is closed. */
export const FirstSteps = () => {
  const { appId, may } = useApp()
  const place = `heliograph first steps closed ${appId}`
  const [isClosed, setClosed] = useState(() => localStorage.getItem(place) !== null)
  const isWanted = may("SEND_NOTIFICATIONS") && !isClosed
  const shown = useAsk(firstSteps, { appId }, { enabled: isWanted, every: 5_000 })
  // What is done stays where it is until the page is left: nothing disappears below one's hand.
  const [wasOpen, setOpen] = useState(false)
  if (!isWanted || shown.data === undefined) return null
  const done = doneIn(shown.data)
  const open = Object.values(done).filter((is) => !is).length
  if (open === 0 && !wasOpen) return null
  if (open > 0 && !wasOpen) setOpen(true)
  return (
    <Card
      title="First steps"
      className="whole"
      actions={
        <Button
          kind="quiet"
          onClick={() => {
            localStorage.setItem(place, "yes")
            setClosed(true)
          }}
        >
          Close
        </Button>
      }
    >
      <ol className="steps">
        <Step title="Send a push to this very browser" isDone={done.browser}>
          <p>Your browser asks whether it may show notifications; nothing else is needed, and nobody else gets it.</p>
          <ThisBrowser appId={appId} hasKeys={shown.data.credentials.some(({ kind }) => kind === "WEBPUSH")} />
        </Step>
        <Step title="Call the API with the secret key" isDone={done.call}>
          <pre className="snippet" tabIndex={0} aria-label="A call of the API">
            <code>{`curl ${location.origin}/api/v1/notifications -H "Authorization: ApiKey $SECRET_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"to":{"all":true},"content":{"title":"Hello","body":"from my server"}}'`}</code>
          </pre>
          <p>
            The key was shown when the application was made;{" "}
            <Link to="/apps/$appId/settings/keys" params={{ appId }}>
              a new one
            </Link>{" "}
            is made in a moment. <a href="/docs">All calls</a>
          </p>
        </Step>
        <Step title="Set up a provider for phones or e-mail" isDone={done.provider}>
          <p>
            <Link to="/apps/$appId/settings/credentials" params={{ appId }}>
              APNs, FCM or a mail server
            </Link>
            : “Check” asks the provider whether it takes what you gave.
          </p>
        </Step>
        <Step title="Bring your people" isDone={done.people}>
          <p>
            From your server, your apps, or{" "}
            <Link to="/apps/$appId/imports" params={{ appId }}>
              a file
            </Link>
            : whom a table names is shown before anything is written.
          </p>
        </Step>
        <Step title="Hear what became of each message" isDone={done.webhook}>
          <p>
            <Link to="/apps/$appId/webhooks" params={{ appId }}>
              A webhook
            </Link>{" "}
            tells your server of every outcome, signed.
          </p>
        </Step>
      </ol>
    </Card>
  )
}
