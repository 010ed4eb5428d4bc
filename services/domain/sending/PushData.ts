import { Schema } from "effect"
import type { JsonObject } from "../Json.ts"
import { isJsonObject, JsonRecord } from "../Json.ts"

/**
 * Who keeps a name at the top of a push's data for itself: FCM refuses the whole message for one of its own, APNs reads
 * `aps`, and the service's carry the ids that clients report with. Null: anybody may use it.
 */
const reservedBy = (name: string): "FCM" | "APNs" | "the service" | null => {
  if (name === "from" || name === "message_type" || name.startsWith("google.") || name.startsWith("gcm.")) return "FCM"
  if (name.startsWith("service_")) return "the service"
  return name === "aps" ? "APNs" : null
}

const refusal = (path: ReadonlyArray<string>, name: string) => ({
  path: [...path, name],
  issue: `is a name that ${reservedBy(name)} keeps for itself`
})

/** What a push carries beside its texts: a JSON object. */
export const PushData = JsonRecord.check(
  Schema.makeFilter((data: JsonObject) => {
    const name = Object.keys(data).find((name) => reservedBy(name) !== null)
    return name === undefined || refusal([], name)
  })
).annotate({
  description:
    "Beside the texts, as the app reads it: APNs and Web Push carry it as `data`, FCM as its own flat map of strings, where the content's `url` stands too and comes before a `url` in here. Not for names that providers or the service keep for themselves: `from`, `message_type`, `google.*`, `gcm.*`, `aps`, `service_*`."
})

const override = Schema.optionalKey(JsonRecord)

/** A name in `object`, which stands at `path`, that belongs to one of the owners. Null removes, and may stand anywhere. */
const reservedIn = (object: unknown, path: ReadonlyArray<string>, owners: ReadonlyArray<string | null>) => {
  if (!isJsonObject(object)) return undefined
  const name = Object.keys(object).find((name) => object[name] !== null && owners.includes(reservedBy(name)))
  return name === undefined ? undefined : refusal(path, name)
}

/** What is laid over the finished message of each provider. */
export const Overrides = Schema.Struct({ apns: override, fcm: override, web: override }).check(
  Schema.makeFilter(({ apns, fcm, web }) => {
    const android = fcm?.["android"]
    return (
      reservedIn(apns, ["apns"], ["the service"]) ??
      reservedIn(fcm?.["data"], ["fcm", "data"], ["FCM", "the service"]) ??
      reservedIn(
        isJsonObject(android) ? android["data"] : undefined,
        ["fcm", "android", "data"],
        ["FCM", "the service"]
      ) ??
      reservedIn(web, ["web"], ["the service"])
    )
  })
)
