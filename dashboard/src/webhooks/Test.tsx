import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Button, ErrorNotice, Form, SelectField } from "../parts/form.tsx"
import { Dialog, GoBack, Id } from "../parts/page.tsx"
import { testHook } from "./operations.ts"
import type { Hook } from "./words.ts"
import { EVENTS, eventWords } from "./words.ts"

/** Sends an example, and shows what came of it. */
export const TestEvent = ({ now, onClose }: { readonly now: Hook; readonly onClose: () => void }) => {
  const [event, setEvent] = useState(now.events[0] ?? "NOTIFICATION_SENT")
  const test = useDo(testHook)
  const answer = test.data?.testHook
  return (
    <Dialog title={`Send ${now.name} a test`} onClose={onClose}>
      <Form error={test.error} onSubmit={() => test.mutate({ id: now.id, event })}>
        <SelectField
          label="Event"
          name="event"
          value={event}
          onChange={setEvent}
          options={Object.entries(EVENTS).map(([name, [words]]) => [name, words] as const)}
          hint={`${EVENTS[event]?.[1]}. Sent once, with ids of zeros and X-Service-Test: true; it counts neither for nor against the webhook.`}
        />
        {answer && !test.isPending && (
          <div className={`notice ${answer.delivered ? "good" : "danger"}`} role="status">
            <p>
              <strong>
                {answer.delivered
                  ? `Taken: answered ${answer.responseStatus} after ${answer.latencyMs} ms.`
                  : answer.responseStatus === null
                    ? `No answer after ${answer.latencyMs} ms: ${answer.reason}.`
                    : `Refused: answered ${answer.responseStatus} after ${answer.latencyMs} ms.`}
              </strong>{" "}
              {eventWords(answer.event)}, event <Id value={answer.eventId} label="id of the test's event" />
            </p>
          </div>
        )}
        <ErrorNotice error={test.error} />
        <div className="dialog-actions">
          <GoBack words="Close" />
          <Button type="submit" kind="primary" isBusy={test.isPending}>
            {test.isPending ? "Waiting for the answer…" : answer ? "Send another" : "Send it"}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
