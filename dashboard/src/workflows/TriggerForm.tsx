import { useRef, useState } from "react"
import { useSegments } from "../compose/choices.ts"
import { useApp } from "../frame/viewer.ts"
import { audienceWords } from "../notifications/words.ts"
import { Choice, ErrorNotice, SelectField } from "../parts/form.tsx"
import { useRested } from "../parts/rested.ts"
import { nextTimes } from "./cron.ts"
import { ListOf, TextOf, ZoneOf } from "./steps/fields.tsx"
import type { Audience, Trigger, TriggerType } from "./trigger.ts"
import { AUDIENCES, audienceOf } from "./trigger.ts"

type Json = Readonly<Record<string, unknown>>

const SegmentOf = ({
  field,
  onChange,
  value
}: {
  readonly field: string
  readonly value: unknown
  readonly onChange: (id: string) => void
}) => {
  const { appId } = useApp()
  const shown = useSegments(appId)
  const segments = shown.data ?? []
  const id = String(value ?? "")
  const isKnown = id === "" || segments.some((one) => one.id === id)
  return (
    <>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      <SelectField
        label="Segment"
        name={field}
        value={id}
        onChange={onChange}
        options={[
          ["", segments.length === 0 && shown.data ? "There is no segment yet" : "Choose a segment"],
          ...segments.map((one) => [one.id, one.name] as const),
          ...(isKnown ? [] : [[id, id] as const])
        ]}
      />
    </>
  )
}

const AUDIENCE: Readonly<Record<Audience, readonly [words: string, first: unknown]>> = {
  all: ["Everyone", true],
  segment_id: ["A segment", ""],
  tags_any: ["People with a tag", []],
  user_ids: ["Named people", []]
}

/** Selectors as notifications have them: `tagsAll` for `tags_all`. */
const selectorsOf = (to: Json): Json =>
  Object.fromEntries(
    Object.entries(to).map(([name, value]) => [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), value])
  )

/** Whom a schedule lets in. */
const Entrants = ({ onChange, to }: { readonly to: Json; readonly onChange: (to: Json) => void }) => {
  const kind = audienceOf(to)
  const [first] = useState(to)
  /** What the form cannot say, for whoever comes back to it. */
  const kept = kind === "kept" ? to : audienceOf(first) === "kept" ? first : null
  return (
    <>
      <Choice
        label="Who enters then"
        value={kind}
        onChange={(next) => onChange(next === "kept" ? kept! : { [next]: AUDIENCE[next][1] })}
        options={[
          ...(kept === null ? [] : [["kept", audienceWords(selectorsOf(kept))] as const]),
          ...AUDIENCES.map((one) => [one, AUDIENCE[one][0]] as const)
        ]}
      />
      {kind === "segment_id" && (
        <SegmentOf
          field="trigger.to.segment_id"
          value={to["segment_id"]}
          onChange={(segment_id) => onChange({ segment_id })}
        />
      )}
      {kind === "tags_any" && (
        <ListOf
          key={kind}
          label="Tags"
          field="trigger.to.tags_any"
          value={to["tags_any"]}
          onChange={(tags) => onChange({ tags_any: tags ?? [] })}
          hint="Divided by commas. One of them is enough."
        />
      )}
      {kind === "user_ids" && (
        <ListOf
          key={kind}
          label="Their ids, as your application calls them"
          field="trigger.to.user_ids"
          value={to["user_ids"]}
          onChange={(ids) => onChange({ user_ids: ids ?? [] })}
          hint="Divided by commas."
        />
      )}
    </>
  )
}

/** The next three times, in words and in the zone of the schedule. */
const Times = ({ cron, zone }: { readonly cron: string; readonly zone: string }) => {
  const rested = useRested({ cron, zone })
  if (rested.cron.trim() === "" || rested.zone === "") return null
  const times = nextTimes(rested.cron, rested.zone, Date.now(), 3)
  if (times === null) return <p className="hint">The next times show here as soon as both can be read.</p>
  const words = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone: rested.zone })
  return (
    <div aria-live="polite">
      {times.length === 0 ? (
        <p className="fault">This time never comes.</p>
      ) : (
        <>
          <p className="small">The next times, on the clocks of {rested.zone}:</p>
          <ol className="times">
            {times.map((at) => (
              <li key={at}>{words.format(at)}</li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}

const FIRST: Readonly<Record<TriggerType, Trigger>> = {
  api: { type: "api" },
  event: { type: "event", event: "" },
  tag_added: { type: "tag_added", tag: "" },
  segment_entered: { type: "segment_entered", segment_id: "" },
  schedule: {
    type: "schedule",
    cron: "0 9 * * 1",
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    to: { all: true }
  }
}

/** What lets people into a workflow. */
export const TriggerForm = ({
  onChange,
  trigger
}: {
  readonly trigger: Trigger
  readonly onChange: (trigger: Trigger) => void
}) => {
  /** What was typed for the other kinds, for whoever comes back to them. */
  const left = useRef(FIRST)
  const change = (changes: Json): void => onChange({ ...trigger, ...changes })
  const { type } = trigger
  return (
    <>
      <Choice<TriggerType>
        label="What lets people in"
        value={type}
        onChange={(next) => {
          left.current = { ...left.current, [type]: trigger }
          onChange(left.current[next])
        }}
        options={[
          ["api", "A call of the API"],
          ["event", "An event of yours"],
          ["tag_added", "A tag is added"],
          ["segment_entered", "They come into a segment"],
          ["schedule", "Times"]
        ]}
      />
      {type === "api" && <p className="hint">Every active workflow can be entered by the API as well.</p>}
      {type === "event" && (
        <TextOf
          label="Event"
          field="trigger.event"
          value={trigger["event"]}
          onChange={(event) => change({ event: event ?? "" })}
          placeholder="signed_up"
          hint="As your application calls it when it raises the event."
        />
      )}
      {type === "tag_added" && (
        <TextOf
          label="Tag"
          field="trigger.tag"
          value={trigger["tag"]}
          onChange={(tag) => change({ tag: tag ?? "" })}
          placeholder="vip"
          hint="Contacts who get it and did not have it."
        />
      )}
      {type === "segment_entered" && (
        <SegmentOf
          field="trigger.segment_id"
          value={trigger["segment_id"]}
          onChange={(segment_id) => change({ segment_id })}
        />
      )}
      {type === "schedule" && (
        <>
          <div className="grid two">
            <TextOf
              label="Times, as cron has them"
              field="trigger.cron"
              value={trigger["cron"]}
              onChange={(cron) => change({ cron: cron ?? "" })}
              placeholder="0 9 * * 1"
              hint="Minute, hour, day, month, day of the week: 0 9 * * 1 is Mondays at nine."
            />
            <ZoneOf
              label="Time zone"
              field="trigger.timezone"
              value={trigger["timezone"]}
              onChange={(timezone) => change({ timezone: timezone ?? "" })}
            />
          </div>
          <Times cron={String(trigger["cron"] ?? "")} zone={String(trigger["timezone"] ?? "")} />
          <Entrants to={(trigger["to"] ?? {}) as Json} onChange={(to) => change({ to })} />
        </>
      )}
    </>
  )
}
