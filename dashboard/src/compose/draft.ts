import { readJson, wrongWithin } from "../parts/json.ts"
import { isDay, momentOf } from "../parts/time.ts"
import type { NotificationInput, Platform, Way } from "./operations.ts"

/** What is typed into the form; texts are as they were typed. */
export interface Draft {
  /** `kept`: the one of the notification that is changed, which the form cannot say. */
  readonly audience: "everyone" | "described" | "segment" | "people" | "emails" | "kept"
  readonly tagsAny: string
  readonly tagsAll: string
  readonly platforms: ReadonlyArray<Platform>
  readonly locale: string
  readonly timezone: string
  readonly segmentId: string
  readonly people: string
  readonly emails: string
  readonly ways: ReadonlyArray<Way>
  readonly source: "written" | "template"
  readonly templateId: string
  readonly variables: string
  readonly title: string
  readonly body: string
  readonly url: string
  readonly image: string
  readonly subject: string
  readonly html: string
  /** JSON, for one platform's messages alone. */
  readonly apns: string
  readonly fcm: string
  readonly web: string
  readonly when: "now" | "at" | "local"
  readonly at: string
  readonly day: string
  readonly localTime: string
  readonly isUrgent: boolean
  readonly ttlHours: string
}

export const EMPTY: Draft = {
  audience: "described",
  tagsAny: "",
  tagsAll: "",
  platforms: [],
  locale: "",
  timezone: "",
  segmentId: "",
  people: "",
  emails: "",
  ways: ["PUSH"],
  source: "written",
  templateId: "",
  variables: "",
  title: "",
  body: "",
  url: "",
  image: "",
  subject: "",
  html: "",
  apns: "",
  fcm: "",
  web: "",
  when: "now",
  at: "",
  day: "",
  localTime: "09:00",
  isUrgent: false,
  ttlHours: ""
}

/** What a notification that was written already has and the form does not show: it stays as it is. */
export interface Kept {
  /** An audience that the form cannot say; another one takes its place. */
  readonly to: NotificationInput["to"] | null
  readonly data: unknown
  /** Of people whose own is not known, for `localTime`. */
  readonly timezone: string | null
  readonly rest: Pick<NotificationInput, "collapseKey" | "track">
}

const NOTHING_KEPT: Kept = { to: null, data: null, timezone: null, rest: {} }

/** Ids, tags and addresses, one a line or divided by commas. */
export const listed = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(/[\n,;]/)
      .map((one) => one.trim())
      .filter((one) => one !== "")
  )
]

const given = <Value>(name: string, value: Value, isGiven: boolean): Readonly<Record<string, Value>> =>
  isGiven ? { [name]: value } : {}

const audienceOf = (draft: Draft, kept: Kept): NotificationInput["to"] | null => {
  if (draft.audience === "kept") return kept.to
  if (draft.audience === "everyone") return { all: true }
  if (draft.audience === "segment") return draft.segmentId === "" ? null : { segmentId: draft.segmentId }
  if (draft.audience === "people") {
    const userIds = listed(draft.people)
    return userIds.length === 0 ? null : { userIds }
  }
  if (draft.audience === "emails") {
    const emails = listed(draft.emails)
    return emails.length === 0 ? null : { emails }
  }
  const [any, all] = [listed(draft.tagsAny), listed(draft.tagsAll)]
  const described = {
    ...given("tagsAny", any, any.length > 0),
    ...given("tagsAll", all, all.length > 0),
    ...given("platforms", draft.platforms, draft.platforms.length > 0),
    ...given("locale", draft.locale.trim(), draft.locale.trim() !== ""),
    ...given("timezone", draft.timezone.trim(), draft.timezone.trim() !== "")
  }
  return Object.keys(described).length === 0 ? null : described
}

export const hasWay = (draft: Draft, way: Way): boolean => draft.audience !== "emails" && draft.ways.includes(way)
export const hasMail = (draft: Draft): boolean => draft.audience === "emails" || draft.ways.includes("EMAIL")

export const PLATFORM = { apns: "iOS", fcm: "Android", web: "browsers" } as const

/** What is given for single platforms, or why it cannot be sent. */
const overridesOf = (draft: Draft): { readonly overrides: Record<string, unknown> } | { readonly missing: string } => {
  const overrides: Record<string, unknown> = {}
  for (const name of ["apns", "fcm", "web"] as const) {
    if (draft[name].trim() === "") continue
    const { value, wrong } = readJson(draft[name])
    if (wrong !== null) return { missing: `What is for ${PLATFORM[name]} alone ${wrongWithin(wrong)}.` }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { missing: `What is for ${PLATFORM[name]} alone is no JSON: write it as {"name": "value"}.` }
    overrides[name] = value
  }
  return { overrides }
}

/** A tag of BCP 47, as far as its shape goes: names of languages are no such tags. */
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i

/** Hours as they are typed, in seconds: 0 is now or never. Undefined: none are given; null: they cannot be read. */
export const ttlOf = (hours: string): number | null | undefined => {
  const text = hours.trim().replace(",", ".")
  if (text === "") return undefined
  const seconds = Math.round(Number(text) * 3600)
  return /^\d+(\.\d+)?$/.test(text) && (seconds > 0 || Number(text) === 0) ? seconds : null
}

/** The request, or in words what is missing. */
export const inputOf = (
  draft: Draft,
  kept: Kept = NOTHING_KEPT
): { readonly input: NotificationInput } | { readonly missing: string } => {
  if (draft.audience === "described" && draft.locale.trim() !== "" && !LANGUAGE.test(draft.locale.trim()))
    return { missing: "The language is its code, as de or pt-BR." }
  const to = audienceOf(draft, kept)
  if (to === null) return { missing: "Say who is to get it." }
  if (draft.audience !== "emails" && draft.ways.length === 0)
    return { missing: "Choose at least one way: push, e-mail or inbox." }
  const texts = Object.fromEntries(
    (["title", "body", "url", "image", ...(hasMail(draft) ? (["subject", "html"] as const) : [])] as const)
      .map((name) => [name, draft[name]] as const)
      .filter(([, text]) => text.trim() !== "")
  )
  if (draft.source === "template" && draft.templateId === "") return { missing: "Choose a template." }
  if (draft.source === "written" && Object.keys(texts).length === 0) return { missing: "Write a title or a body." }
  let variables: unknown
  if (draft.source === "template" && draft.variables.trim() !== "") {
    const { broken, value, wrong } = readJson(draft.variables)
    if (broken !== null) return { missing: 'The variables are no JSON: write them as {"name": "Ada"}.' }
    if (wrong !== null) return { missing: `The variables ${wrongWithin(wrong)}.` }
    variables = value
  }
  const platforms = hasWay(draft, "PUSH") ? overridesOf(draft) : { overrides: {} }
  if ("missing" in platforms) return platforms
  const at = momentOf(draft.at)
  if (draft.when === "at" && at === null) return { missing: "Say when it is to go out." }
  if (draft.when === "local" && (!isDay(draft.day) || draft.localTime === ""))
    return { missing: "Say on which day, and at what time." }
  const ttl = ttlOf(draft.ttlHours)
  if (ttl === null) return { missing: "Say after how many hours to give up, as 2 or 1.5; or leave it empty." }
  return {
    input: {
      to,
      ...given("channels", draft.ways, draft.audience !== "emails"),
      ...(draft.source === "template"
        ? { templateId: draft.templateId, ...given("variables", variables, variables !== undefined) }
        : { content: { ...texts, ...given("data", kept.data, kept.data !== null) } }),
      ...given("sendAt", draft.when === "at" ? at : draft.day, draft.when !== "now"),
      ...given("localTime", draft.localTime, draft.when === "local"),
      ...given("timezone", kept.timezone, draft.when === "local" && kept.timezone !== null),
      ...given("overrides", platforms.overrides, Object.keys(platforms.overrides).length > 0),
      priority: draft.isUrgent ? "HIGH" : "BULK",
      ...kept.rest,
      ...given("ttl", ttl, ttl !== undefined)
    }
  }
}

/** The same to the same people, now, with any message: how many they are can be seen before it is written. */
export const audienceAlone = (draft: Draft, kept?: Kept): NotificationInput | null => {
  const alone = { source: "written", title: "…", apns: "", fcm: "", web: "", when: "now", ttlHours: "" } as const
  const found = inputOf({ ...draft, ...alone }, kept)
  return "input" in found ? found.input : null
}

/** The same message to one person, now. */
export const testOf = (input: NotificationInput, to: NotificationInput["to"]): NotificationInput => {
  const { channels, localTime: _, sendAt: __, timezone: ___, ...rest } = input
  return { ...rest, ...(to.emails ? {} : { channels }), to, priority: "HIGH" }
}
