import { useAsk } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { Previews } from "../compose/Previews.tsx"
import { isAddress } from "../contacts/addresses.ts"
import { useApp } from "../frame/viewer.ts"
import { AreaField, ErrorNotice, SelectField, TextField } from "../parts/form.tsx"
import { readJson, wrongWithin } from "../parts/json.ts"
import { Card, Loading } from "../parts/page.tsx"
import { useRested } from "../parts/rested.ts"
import type { TryTemplateQuery } from "./operations.ts"
import { findPerson, somePeople } from "./operations.ts"
import { PART } from "./sources.ts"
import type { Trying } from "./trying.ts"

type Content = TryTemplateQuery["previewTemplateSources"]["content"]

/** For whom a template is filled. */
export interface Example {
  readonly person: string
  readonly variables: string
  /** Empty: the person's own, or the one that is edited; `default`, or a language. */
  readonly language: string
}

export const NOBODY: Example = { person: "", variables: "", language: "" }

/** The contact whose id, or address, was typed; undefined until that is known, null where there is nobody. */
export const usePerson = (text: string) => {
  const { appId } = useApp()
  const rested = useRested(text.trim())
  const found = useAsk(
    findPerson,
    { appId, text: rested, isAddress: isAddress(rested) },
    { enabled: rested !== "", keep: true }
  )
  if (text.trim() === "") return null
  if (rested !== text.trim() || found.isPlaceholderData) return undefined
  const { byAddress, byId } = found.data ?? {}
  return found.data === undefined ? undefined : (byId?.nodes[0] ?? byAddress?.nodes[0]?.contact ?? null)
}

/** The values of a request, from JSON; `fault` goes on after their name. */
export const variablesOf = (text: string): { readonly value?: unknown; readonly fault: string | null } => {
  if (text.trim() === "") return { fault: null }
  const { broken, value, wrong } = readJson(text)
  if (broken !== null) return { fault: `are no JSON: ${broken}` }
  return wrong === null ? { value, fault: null } : { fault: wrongWithin(wrong) }
}

const samplesOf = (content: Content): ReadonlyMap<string, Content> => {
  const isMessage = content.title !== null || content.body !== null
  const isMail = content.subject !== null || content.html !== null
  return new Map([
    ...(isMessage && !isMail
      ? (["APNS", "FCM", "WEBPUSH", "INBOX"] as const).map((one) => [one, content] as const)
      : []),
    ...(isMessage && isMail ? (["APNS", "INBOX"] as const).map((one) => [one, content] as const) : []),
    ...(isMail ? [["SMTP", content] as const] : [])
  ])
}

const Filled = ({ trying }: { readonly trying: Trying }) => {
  const { application } = useApp()
  const { error, faults, filled, isFetching, retry, unfilled } = trying
  if (faults.length > 0) return <p className="muted">The texts have a fault, which is marked at its place.</p>
  if (unfilled.length > 0) {
    return (
      <ul className="notice warning">
        {unfilled.map(({ message, part, place }) => (
          <li key={`${place} ${part} ${message}`}>
            <strong>{PART[part]}</strong>
            {place === "content" ? "" : ` (${place.replace("locales.", "")})`} {message}.
          </li>
        ))}
      </ul>
    )
  }
  if (error instanceof Refusal && error.code === "validation_error") {
    return <p className="muted">{error.details.map(({ field, message }) => `${field} ${message}`).join("; ")}</p>
  }
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />
  if (filled === null) return <Loading lines={3} />
  return (
    <div className="stack" aria-live="polite" aria-busy={isFetching}>
      <Previews app={application.name} samples={samplesOf(filled.content)} />
      {filled.content.data !== null && (
        <figure className="preview">
          <figcaption>Data</figcaption>
          <pre className="snippet" tabIndex={0}>
            {JSON.stringify(filled.content.data, null, 2)}
          </pre>
        </figure>
      )}
    </div>
  )
}

/** How the template looks for somebody. */
export const Preview = ({
  change,
  edited,
  example,
  languages,
  person,
  trying
}: {
  readonly example: Example
  readonly change: (changes: Partial<Example>) => void
  readonly person: ReturnType<typeof usePerson>
  readonly languages: ReadonlyArray<string>
  /** The language that stands beside the default. */
  readonly edited: string | null
  readonly trying: Trying
}) => {
  const { appId } = useApp()
  const people = useAsk(somePeople, { appId })
  const { fault } = variablesOf(example.variables)
  const own = person ? `Theirs (${person.locale ?? "not known"})` : `The one edited (${edited ?? "default"})`
  return (
    <Card title="Preview">
      <TextField
        label="For a contact, by id or address"
        value={example.person}
        onChange={(text) => change({ person: text })}
        list="template-people"
        autoComplete="off"
        placeholder="Nobody in particular"
        fault={example.person.trim() !== "" && person === null ? "is that of nobody" : null}
      />
      <datalist id="template-people">
        {people.data?.contacts.nodes.map(({ email, externalId, id }) => (
          <option key={id} value={externalId}>
            {email ?? ""}
          </option>
        ))}
      </datalist>
      {(languages.length > 0 || person) && (
        <SelectField
          label="Language"
          value={example.language}
          onChange={(language) => change({ language })}
          options={[["", own], ["default", "Default"], ...languages.map((one) => [one, one] as const)]}
        />
      )}
      <AreaField
        label="Variables of the request, as JSON"
        value={example.variables}
        onChange={(variables) => change({ variables })}
        rows={2}
        spellCheck={false}
        placeholder='{"order": "No. 42"}'
      />
      {fault && <p className="fault">The variables {fault}</p>}
      <Filled trying={trying} />
    </Card>
  )
}
