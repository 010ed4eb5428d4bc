import { counted } from "../parts/time.ts"
import type { ContactQuery } from "./operations.ts"

type Contact = NonNullable<ContactQuery["contact"]>

const list = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`

/** How a message gets to the person, and why not by the other ways. */
export const reachOf = ({ channels, devices, email, preferences }: Contact): string => {
  const active = devices.filter(({ status }) => status === "ACTIVE").length
  const address = channels.find((one) => one.kind === "EMAIL" && one.address === email)?.status
  const ways: Array<string> = []
  const obstacles: Array<string> = []
  if (!preferences.push) obstacles.push("not by push, which the person does not want")
  else if (active > 0) ways.push(`push on ${counted(active, "device")}`)
  else if (devices.length > 0) obstacles.push("not by push, as no device is active any more")
  else obstacles.push("not by push, as there is no device")
  if (email === null) obstacles.push("not by e-mail, as there is no address")
  else if (!preferences.email || address === "UNSUBSCRIBED")
    obstacles.push("not by e-mail, from which the person unsubscribed")
  else if (address === "SUPPRESSED") obstacles.push("not by e-mail, as mail to the address came back")
  else ways.push("e-mail")
  if (preferences.inbox) ways.push("the inbox")
  else obstacles.push("not in the inbox, which the person does not want")
  if (ways.length === 0) return `Cannot be reached: ${list(obstacles)}.`
  return `Reached by ${[list(ways), ...obstacles].join("; ")}.`
}
