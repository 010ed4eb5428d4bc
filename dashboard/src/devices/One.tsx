import { Link } from "@tanstack/react-router"
import { useAsk } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { textOf } from "../contacts/attributes.ts"
import { Removal } from "../frame/Removal.tsx"
import { useApp, useId } from "../frame/viewer.ts"
import { reasonOf } from "../notifications/reasons.ts"
import { ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Empty, Id, Loading, Page, When } from "../parts/page.tsx"
import { Tags } from "../parts/tags.tsx"
import type { DeviceQuery } from "./operations.ts"
import { deleteDevice, device } from "./operations.ts"
import { DEVICE_STATUS, PLATFORM } from "./words.ts"

type Device = NonNullable<DeviceQuery["device"]>

/** Whether it gets push, and what to do where it does not. */
const sentence = ({ contact, invalidReason, status }: Device): string => {
  if (status === "INVALID") {
    const [means, remedy] = reasonOf(invalidReason ?? "") ?? [
      `The push service refuses its token${invalidReason === null ? "" : ` (${invalidReason})`}`,
      "It is active again as soon as the app or browser registers anew."
    ]
    return `Nothing is sent to it. ${means}. ${remedy}`
  }
  if (contact?.preferences.push === false) return "Nothing is sent to it: its person does not want push."
  return "It gets what is sent to it."
}

const Remove = ({ one }: { readonly one: Device }) => (
  <Removal
    document={deleteDevice}
    id={one.id}
    list="devices"
    verb="Remove"
    title="Remove this device?"
    words="Remove it"
    said="The device is gone"
  >
    <p>
      Nothing is sent to it any more, and its token, tags and metadata are forgotten. An app or browser that is still
      there registers at its next start, and is a new device then. To stop push to a person for good, say on the
      contact's page that they do not want it.
    </p>
  </Removal>
)

/** One device: whether it gets push, and why not. */
export const One = () => {
  const id = useId("id")
  const { appId, may } = useApp()
  const shown = useAsk(device, { id })
  const one = shown.data?.device ?? null
  const above = (
    <Link to="/apps/$appId/devices" params={{ appId }}>
      Devices
    </Link>
  )
  if (one === null) {
    const isGone = shown.data !== undefined || (shown.error instanceof Refusal && shown.error.code === "not_found")
    return (
      <Page title={isGone ? "No such device" : "Device"} above={above}>
        {isGone ? (
          <Empty title="It was removed, or the address is wrong." />
        ) : shown.error ? (
          <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        ) : (
          <Loading />
        )}
      </Page>
    )
  }
  const [words, tone] = DEVICE_STATUS[one.status]
  const metadata = Object.entries((one.metadata ?? {}) as Readonly<Record<string, unknown>>)
  return (
    <Page
      title={`${PLATFORM[one.platform]} device …${one.id.slice(-6)}`}
      above={above}
      beside={
        <>
          <Chip tone={tone}>{words}</Chip>
          <Id value={one.id} label="id of the device" />
        </>
      }
      actions={may("CHANGE_DEVICES") && <Remove one={one} />}
    >
      <p className="lead">{sentence(one)}</p>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      <div className="grid two">
        <Card title="Device">
          <dl className="facts">
            <div>
              <dt>Platform</dt>
              <dd>
                {PLATFORM[one.platform]}
                {one.environment === "SANDBOX" && ", of the sandbox"}
              </dd>
            </div>
            <div>
              <dt>{one.platform === "WEB" ? "Subscription" : "Token"}</dt>
              <dd>
                <Id value={one.token} label={one.platform === "WEB" ? "subscription" : "token"} />
              </dd>
            </div>
            {one.invalidReason !== null && (
              <div>
                <dt>Refused as</dt>
                <dd>
                  <code>{one.invalidReason}</code>
                </dd>
              </div>
            )}
            <div>
              <dt>Registered first</dt>
              <dd>
                <When at={one.createdAt} />
              </dd>
            </div>
            <div>
              <dt>Last seen</dt>
              <dd>
                <When at={one.lastSeenAt} />
              </dd>
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
          </dl>
        </Card>
        <Card title="Person">
          {one.userId === null ? (
            <p>Anonymous: it registered without a user id.</p>
          ) : one.contact === null ? (
            <p>
              {one.userId}, who is no contact: devices work without one. A contact with this id would have its
              preferences, attributes and e-mail.
            </p>
          ) : (
            <p>
              <Link to="/apps/$appId/contacts/$id" params={{ appId, id: one.contact.id }}>
                {one.userId}
              </Link>
              , with what they got and what they want.
            </p>
          )}
          {metadata.length > 0 && (
            <>
              <h3>Metadata</h3>
              <dl className="facts">
                {metadata.map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{textOf(value)}</dd>
                  </div>
                ))}
              </dl>
            </>
          )}
        </Card>
      </div>
    </Page>
  )
}
