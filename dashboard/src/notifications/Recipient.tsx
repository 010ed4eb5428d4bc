import { Link } from "@tanstack/react-router"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { personOfChannel, personOfDevice } from "./operations.ts"

/** Whose device or address it is, with the way to them. */
export const Recipient = ({
  channelId,
  deviceId
}: {
  readonly deviceId: string | null
  readonly channelId: string | null
}) => {
  const { appId } = useApp()
  const isDevice = deviceId !== null
  const device = useAsk(personOfDevice, { id: deviceId! }, { enabled: isDevice })
  const channel = useAsk(personOfChannel, { id: channelId! }, { enabled: channelId !== null })
  const found = isDevice ? device.data?.device : channel.data?.channel
  const asked = isDevice ? device : channel
  const contact = found?.contact
  const name = device.data?.device?.userId ?? channel.data?.channel?.address ?? null
  const person = () => {
    if (asked.isPending) return null
    if (contact) {
      return (
        <>
          <Link to="/apps/$appId/contacts/$id" params={{ appId, id: contact.id }}>
            {contact.externalId}
          </Link>
          {contact.email && contact.email !== contact.externalId && ` (${contact.email})`}
        </>
      )
    }
    if (!found) return `${isDevice ? "A device" : "An address"} that is gone`
    return name === null ? "Nobody whom the application has named" : `${name}, no contact`
  }
  return (
    <p>
      <strong>{person()}</strong>{" "}
      {isDevice && found && (
        <Link to="/apps/$appId/devices/$id" params={{ appId, id: deviceId }}>
          The device
        </Link>
      )}
    </p>
  )
}
