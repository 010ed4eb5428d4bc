import type { Draft, Kept } from "./draft.ts"
import { EMPTY, listed } from "./draft.ts"
import type { NotificationChanges, NotificationInput, WrittenFragment } from "./operations.ts"

/** A notification that was written already: what the form begins with. */
export interface Written {
  readonly draft: Draft
  readonly kept: Kept
}

/** Without what the answer calls null, and requests leave out. */
const present = <A extends object>(one: A): Partial<A> =>
  Object.fromEntries(Object.entries(one).filter(([, value]) => value !== null)) as Partial<A>

const joined = (texts: ReadonlyArray<string> | null, by: string): string => (texts ?? []).join(by)
const asText = (value: unknown): string => (value === null || value === undefined ? "" : JSON.stringify(value, null, 2))

const DESCRIBED: ReadonlySet<string> = new Set(["tagsAny", "tagsAll", "platforms", "locale", "timezone"])

/** The form divides lists by commas and lines, and has each member once: what it would divide otherwise it cannot say. */
const isListed = (texts: ReadonlyArray<string> | null): boolean =>
  texts === null || JSON.stringify(listed(texts.join("\n"))) === JSON.stringify(texts)

const audienceOf = (to: WrittenFragment["to"]): Draft["audience"] => {
  const names = Object.keys(present(to))
  if (![to.tagsAny, to.tagsAll, to.userIds, to.emails].every(isListed)) return "kept"
  const isAlone = (name: string): boolean => names.length === 1 && names[0] === name
  if (isAlone("all")) return "everyone"
  if (isAlone("segmentId")) return "segment"
  if (isAlone("userIds")) return "people"
  if (isAlone("emails")) return "emails"
  return names.every((name) => DESCRIBED.has(name)) ? "described" : "kept"
}

/** A moment as `datetime-local` has it: the browser's own clock, to the minute. */
const local = (at: string): string => {
  const date = new Date(at)
  const two = (n: number): string => String(n).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}

const whenOf = ({ localTime, sendAt }: WrittenFragment): Pick<Draft, "when" | "at" | "day" | "localTime"> => {
  if (localTime !== null) return { when: "local", at: "", day: (sendAt ?? "").slice(0, 10), localTime }
  if (sendAt !== null) return { ...EMPTY, when: "at", at: local(sendAt) }
  return EMPTY
}

/** The same as a form; of another like it the time is to be said anew. */
export const writtenOf = (one: WrittenFragment, isAnother: boolean): Written => {
  const { content, overrides, to } = one
  const { at, day, localTime, when } = isAnother ? EMPTY : whenOf(one)
  const audience = audienceOf(to)
  const hasMail = Boolean(content?.subject) || Boolean(content?.html)
  return {
    draft: {
      audience,
      tagsAny: joined(to.tagsAny, ", "),
      tagsAll: joined(to.tagsAll, ", "),
      platforms: to.platforms ?? [],
      locale: to.locale ?? "",
      timezone: to.timezone ?? "",
      segmentId: to.segmentId ?? "",
      people: joined(to.userIds, "\n"),
      emails: joined(to.emails, "\n"),
      ways: one.channels ?? (hasMail ? ["PUSH", "EMAIL"] : ["PUSH"]),
      source: one.templateId === null ? "written" : "template",
      templateId: one.templateId ?? "",
      variables: asText(one.variables),
      title: content?.title ?? "",
      body: content?.body ?? "",
      url: content?.url ?? "",
      image: content?.image ?? "",
      subject: content?.subject ?? "",
      html: content?.html ?? "",
      apns: asText(overrides?.apns),
      fcm: asText(overrides?.fcm),
      web: asText(overrides?.web),
      when,
      at,
      day,
      localTime,
      isUrgent: one.priority === "HIGH",
      ttlHours: one.ttl === null ? "" : String(one.ttl / 3600)
    },
    kept: {
      to: audience === "kept" ? (present(to) as NotificationInput["to"]) : null,
      data: content?.data ?? null,
      timezone: one.timezone,
      rest: {
        ...present({ collapseKey: one.collapseKey }),
        ...(one.track === null ? {} : { track: present(one.track) })
      }
    }
  }
}

/** What of the request is another than before; what it no longer has is null, which takes it away. */
export const changesOf = (before: NotificationInput, after: NotificationInput): NotificationChanges => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as ReadonlySet<keyof NotificationInput>
  return Object.fromEntries(
    [...names]
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, after[name] ?? null])
  )
}
