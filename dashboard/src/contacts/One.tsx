import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useAsk } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { Removal } from "../frame/Removal.tsx"
import { useApp, useId } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Empty, Id, Loading, Page, When } from "../parts/page.tsx"
import { Tags } from "../parts/tags.tsx"
import { counted } from "../parts/time.ts"
import { typedOf } from "./attributes.ts"
import { EditContact } from "./Editor.tsx"
import { Messages } from "./Messages.tsx"
import type { ContactQuery } from "./operations.ts"
import { contact, deleteContact } from "./operations.ts"
import { Devices, Preferences } from "./Ways.tsx"
import { reachOf } from "./reach.ts"
import { WorkflowRuns } from "./WorkflowRuns.tsx"

type Contact = NonNullable<ContactQuery["contact"]>

const Controls = ({ one, onEdit }: { readonly one: Contact; readonly onEdit: () => void }) => (
  <>
    <Button onClick={onEdit}>Edit…</Button>
    <Removal
      document={deleteContact}
      id={one.id}
      list="contacts"
      title={`Delete ${one.externalId}?`}
      words="Delete the person"
      said={`${one.externalId} is gone`}
    >
      <p>
        The person goes with everything about them: {counted(one.devices.length, "device")},{" "}
        {counted(one.channels.length, "channel")}, tags, attributes and the messages of their inbox. What was accepted
        and not sent yet does not reach them any more. Nothing brings them back.
      </p>
      <p>
        Runs of workflows that they are in end at once, and what their runs carried and say of them goes as well;
        numbers stay, without names.
      </p>
      <p>
        An app or browser that registers with this id again is a new device: have your own systems forget the person,
        too.
      </p>
    </Removal>
  </>
)

const Facts = ({ one }: { readonly one: Contact }) => {
  const attributes = typedOf(one.attributes)
  return (
    <Card title="Who">
      <dl className="facts">
        <div>
          <dt>E-mail</dt>
          <dd>{one.email ?? "–"}</dd>
        </div>
        <div>
          <dt>Language</dt>
          <dd>{one.locale ?? "–"}</dd>
        </div>
        <div>
          <dt>Time zone</dt>
          <dd>{one.timezone ?? "–"}</dd>
        </div>
        <div>
          <dt>Tags</dt>
          <dd>
            <Tags tags={one.tags} />
          </dd>
        </div>
        <div>
          <dt>Made</dt>
          <dd>
            <When at={one.createdAt} />
          </dd>
        </div>
        <div>
          <dt>Changed</dt>
          <dd>
            <When at={one.updatedAt} />
          </dd>
        </div>
      </dl>
      {attributes.length > 0 && (
        <>
          <h3>Attributes</h3>
          <dl className="facts">
            {attributes.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Card>
  )
}

/** One person: who they are, how they are reached, and what they got. */
export const One = () => {
  const id = useId("id")
  const { appId, may } = useApp()
  const { edit } = useSearch({ strict: false }) as { readonly edit?: string }
  const navigate = useNavigate()
  const editing = (is: boolean) => void navigate({ to: ".", search: { edit: is ? "yes" : undefined } as never })
  const shown = useAsk(contact, { id })
  const one = shown.data?.contact ?? null
  const above = (
    <Link to="/apps/$appId/contacts" params={{ appId }}>
      Contacts
    </Link>
  )
  if (one === null) {
    const isGone = shown.data !== undefined || (shown.error instanceof Refusal && shown.error.code === "not_found")
    return (
      <Page title={isGone ? "No such contact" : "Contact"} above={above}>
        {isGone ? (
          <Empty title="The person was deleted, or the address is wrong." />
        ) : shown.error ? (
          <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        ) : (
          <Loading />
        )}
      </Page>
    )
  }
  return (
    <Page
      title={one.externalId}
      above={above}
      beside={<Id value={one.id} label="id of the contact" />}
      actions={may("CHANGE_CONTACTS") && <Controls one={one} onEdit={() => editing(true)} />}
    >
      <p className="lead">{reachOf(one)}</p>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      <div className="grid two">
        <Facts one={one} />
        <Preferences one={one} />
      </div>
      <Devices one={one} appId={appId} />
      <Messages one={one} />
      <WorkflowRuns userId={one.externalId} />
      {edit !== undefined && may("CHANGE_CONTACTS") && <EditContact one={one} onClose={() => editing(false)} />}
    </Page>
  )
}
