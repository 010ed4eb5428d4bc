import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useDo } from "../api/hooks.ts"
import { DeviceName, DeviceState } from "../devices/cells.tsx"
import { useApp } from "../frame/viewer.ts"
import type { Tone } from "../parts/page.tsx"
import { Button, Check, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Confirm, TableFrame, When } from "../parts/page.tsx"
import { Tags } from "../parts/tags.tsx"
import { toast } from "../parts/toasts.tsx"
import type { ContactQuery } from "./operations.ts"
import { changeChannel, changePreferences } from "./operations.ts"

type Contact = NonNullable<ContactQuery["contact"]>
type Channel = Contact["channels"][number]

const CHANNEL_STATUS = {
  ACTIVE: ["Active", "good"],
  SUPPRESSED: ["Mail came back", "bad"],
  UNSUBSCRIBED: ["Unsubscribed", "still"]
} as const satisfies Readonly<Record<Channel["status"], readonly [string, Tone]>>

/** As many devices as a contact's page asks for. */
const SHOWN = 50

const KINDS = [
  ["push", "Push"],
  ["email", "E-mail"],
  ["inbox", "Inbox"]
] as const

const ChannelItem = ({ canChange, one }: { readonly one: Channel; readonly canChange: boolean }) => {
  const [isAsking, setAsking] = useState(false)
  const change = useDo(changeChannel, () => {
    setAsking(false)
    toast("Saved")
  })
  const [words, tone] = CHANNEL_STATUS[one.status]
  return (
    <li>
      <span>
        {one.kind === "EMAIL" ? one.address : "Inbox"} <Chip tone={tone}>{words}</Chip>
        {one.status === "SUPPRESSED" && (
          <span className="muted small block">
            A mail server refused the address, or the person reported the mail. Nothing is sent there any more.
          </span>
        )}
      </span>
      {canChange && one.kind === "EMAIL" && one.status === "ACTIVE" && (
        <Button
          kind="quiet"
          isBusy={change.isPending}
          onClick={() => change.mutate({ id: one.id, status: "UNSUBSCRIBED" })}
        >
          Unsubscribe<span className="unseen"> {one.address}</span>
        </Button>
      )}
      {canChange && one.kind === "EMAIL" && one.status !== "ACTIVE" && (
        <Button kind="quiet" onClick={() => setAsking(true)}>
          Subscribe again…<span className="unseen"> {one.address}</span>
        </Button>
      )}
      {!isAsking && <ErrorNotice error={change.error} />}
      {isAsking && (
        <Confirm
          title={`Send mail to ${one.address} again?`}
          words="Subscribe it again"
          doing="primary"
          isBusy={change.isPending}
          error={<ErrorNotice error={change.error} />}
          onClose={() => setAsking(false)}
          onConfirm={() => change.mutate({ id: one.id, status: "ACTIVE" })}
        >
          <p>
            {one.status === "SUPPRESSED"
              ? "Mail to this address came back. Sending there again harms your name with mail servers, unless the mailbox works now."
              : "The person unsubscribed. Do this only when they have asked for it: in many countries the law says so."}
          </p>
        </Confirm>
      )}
    </li>
  )
}

/** What the person wants, and the addresses. */
export const Preferences = ({ one }: { readonly one: Contact }) => {
  const { may } = useApp()
  const change = useDo(changePreferences, () => toast("Saved"))
  const canChange = may("CHANGE_CONTACTS")
  return (
    <Card title="What the person wants">
      {canChange ? (
        <div className="checks">
          {KINDS.map(([kind, words]) => (
            <Check
              key={kind}
              label={words}
              isChecked={
                change.isPending ? (change.variables.input[kind] ?? one.preferences[kind]) : one.preferences[kind]
              }
              onChange={(isWanted) => change.mutate({ id: one.id, input: { [kind]: isWanted } })}
            />
          ))}
        </div>
      ) : (
        <p>{KINDS.map(([kind, words]) => `${words}: ${one.preferences[kind] ? "yes" : "no"}`).join(" · ")}</p>
      )}
      <p className="small muted">
        Whoever unsubscribes by a link in a mail says so here by themselves. Switch something on only when they ask for
        it.
      </p>
      <ErrorNotice error={change.error} />
      <h3>Channels</h3>
      {one.channels.length === 0 ? (
        <p className="muted">None. An e-mail address makes one; an inbox comes with its first message.</p>
      ) : (
        <ul className="recent">
          {one.channels.map((channel) => (
            <ChannelItem key={channel.id} one={channel} canChange={may("CHANGE_CHANNELS")} />
          ))}
        </ul>
      )}
    </Card>
  )
}

export const Devices = ({ appId, one }: { readonly one: Contact; readonly appId: string }) => (
  <Card title="Devices">
    {one.devices.length === 0 ? (
      <p className="muted">
        None. A device is this person's when it registers with user_id <code>{one.externalId}</code>.
      </p>
    ) : (
      <TableFrame label="Devices">
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col">State</th>
            <th scope="col">Tags</th>
            <th scope="col">Time zone</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {one.devices.map((device) => (
            <tr key={device.id}>
              <td>
                <DeviceName one={device} />
              </td>
              <td>
                <DeviceState one={device} />
              </td>
              <td>
                <Tags tags={device.tags} most={3} />
              </td>
              <td>{device.timezone ?? <span className="muted">–</span>}</td>
              <td>
                <When at={device.lastSeenAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    )}
    {one.devices.length === SHOWN && (
      <Link to="/apps/$appId/devices" params={{ appId }} search={{ user: one.externalId } as never}>
        All devices of this person
      </Link>
    )}
  </Card>
)
