import { useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { keyOf, useAsk, useDo } from "../api/hooks.ts"
import { useLive } from "../api/live.ts"
import { Refusal } from "../api/request.ts"
import { Removal } from "../frame/Removal.tsx"
import { useApp, useId } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Confirm, Empty, Id, Loading, Page, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { EditHook } from "./Edit.tsx"
import type { HookQuery } from "./operations.ts"
import { deleteHook, hook, hookLive, updateHook } from "./operations.ts"
import { Receiver } from "./Receiver.tsx"
import { Signature } from "./Secrets.tsx"
import { TestEvent } from "./Test.tsx"
import type { Hook } from "./words.ts"
import { disabledWords, eventsWords, hookState } from "./words.ts"

type Asking = "test" | "change" | "off"

const Controls = ({ now }: { readonly now: Hook }) => {
  const [asking, setAsking] = useState<Asking | null>(null)
  const close = () => setAsking(null)
  const off = useDo(updateHook, () => {
    close()
    toast("Switched off")
  })
  return (
    <>
      <Button onClick={() => setAsking("test")}>Send a test…</Button>
      <Button onClick={() => setAsking("change")}>Change…</Button>
      {now.isActive && <Button onClick={() => setAsking("off")}>Switch off…</Button>}
      <Removal
        document={deleteHook}
        id={now.id}
        list="webhooks"
        title={`Delete ${now.name}?`}
        words="Delete it for good"
        said={`${now.name} is deleted`}
      >
        <p>What is under way for it is dropped, and the list of its deliveries goes with it.</p>
      </Removal>
      {asking === "test" && <TestEvent now={now} onClose={close} />}
      {asking === "change" && <EditHook now={now} onClose={close} />}
      {asking === "off" && (
        <Confirm
          title={`Switch ${now.name} off?`}
          words="Switch it off"
          isBusy={off.isPending}
          error={<ErrorNotice error={off.error} />}
          onClose={close}
          onConfirm={() => off.mutate({ id: now.id, input: { isActive: false } })}
        >
          <p>
            What is under way waits until it is switched on again. Events that happen meanwhile are not kept for it:
            they cannot be delivered later.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** Why nothing goes out, and the way to have it go out again. */
const Stopped = ({ canChange, now }: { readonly now: Hook; readonly canChange: boolean }) => {
  const enable = useDo(updateHook, () => toast("Enabled: what waited goes out now"))
  return (
    <div className={`notice ${now.disabledReason === null ? "info" : "danger"}`}>
      <p>
        {now.disabledReason === null ? (
          <strong>Somebody switched it off.</strong>
        ) : (
          <>
            <strong>Disabled: {disabledWords(now.disabledReason)}</strong> Mend the receiver, and try it with a test.
          </>
        )}{" "}
        Nothing is delivered, and what happens now is not kept for it. What was under way goes out once it is enabled.
      </p>
      {canChange && (
        <Button
          kind="primary"
          isBusy={enable.isPending}
          onClick={() => enable.mutate({ id: now.id, input: { isActive: true } })}
        >
          Enable
        </Button>
      )}
      <ErrorNotice error={enable.error} />
    </div>
  )
}

/** One webhook, live: whether it works, and every event that it had. */
export const One = () => {
  const id = useId("id")
  const { appId, may } = useApp()
  const client = useQueryClient()
  const shown = useAsk(hook, { id })
  const now = shown.data?.hook ?? null
  useLive(hookLive, { id }, now !== null, ({ hookChanged }) => {
    client.setQueryData<HookQuery>(keyOf(hook as never, { id }), { hook: hookChanged })
  })
  const above = (
    <Link to="/apps/$appId/webhooks" params={{ appId }}>
      Webhooks
    </Link>
  )
  if (now === null) {
    const isGone = shown.data !== undefined || (shown.error instanceof Refusal && shown.error.code === "not_found")
    return (
      <Page title={isGone ? "No such webhook" : "Webhook"} above={above}>
        {isGone ? (
          <Empty title="It was deleted, or the address is wrong." />
        ) : shown.error ? (
          <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        ) : (
          <Loading />
        )}
      </Page>
    )
  }
  const [words, tone] = hookState(now)
  const canChange = may("CHANGE_WEBHOOKS")
  return (
    <Page
      title={now.name}
      above={above}
      beside={
        <>
          <Chip tone={tone}>{words}</Chip>
          <Id value={now.id} label="id of the webhook" />
        </>
      }
      actions={canChange && <Controls now={now} />}
    >
      {!now.isActive && <Stopped now={now} canChange={canChange} />}
      <div className="grid two">
        <Card title="What it is told, and where">
          <dl className="facts">
            <dt>Address</dt>
            <dd>
              <code>{now.url}</code>
            </dd>
            <dt>Is told</dt>
            <dd>{eventsWords(now.events)}</dd>
            <dt>Made</dt>
            <dd>
              <When at={now.createdAt} />
            </dd>
            <dt>Changed</dt>
            <dd>
              <When at={now.updatedAt} />
            </dd>
          </dl>
        </Card>
        <Signature now={now} canChange={canChange} />
      </div>
      <Deliveries hook={now} canChange={canChange} />
      <Receiver />
    </Page>
  )
}
