import { Link } from "@tanstack/react-router"
import { useApp } from "../frame/viewer.ts"
import { reasonOf } from "../notifications/reasons.ts"
import { Chip } from "../parts/page.tsx"
import type { DevicesQuery } from "./operations.ts"
import { DEVICE_STATUS, PLATFORM } from "./words.ts"

type Device = DevicesQuery["devices"]["nodes"][number]

/** What a device is called in tables, with the way to its page. */
export const DeviceName = ({
  one: { environment, id, platform }
}: {
  readonly one: Pick<Device, "environment" | "id" | "platform">
}) => {
  const { appId } = useApp()
  return (
    <>
      <Link to="/apps/$appId/devices/$id" params={{ appId, id }} className="row-link nowrap">
        {PLATFORM[platform]} …{id.slice(-6)}
      </Link>
      {environment === "SANDBOX" && <span className="muted small block">Sandbox</span>}
    </>
  )
}

/** Whether a device gets push, and why not. */
export const DeviceState = ({
  one: { invalidReason, status }
}: {
  readonly one: Pick<Device, "invalidReason" | "status">
}) => (
  <>
    <Chip tone={DEVICE_STATUS[status][1]}>{DEVICE_STATUS[status][0]}</Chip>
    {invalidReason !== null && (
      <span className="muted small block">{reasonOf(invalidReason)?.[0] ?? invalidReason}</span>
    )}
  </>
)
