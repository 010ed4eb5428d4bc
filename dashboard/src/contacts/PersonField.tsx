import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice, TextField } from "../parts/form.tsx"
import { useRested } from "../parts/rested.ts"
import { isAddress } from "./addresses.ts"
import type { ContactsQuery } from "./operations.ts"
import { findContacts } from "./operations.ts"

type Person = ContactsQuery["contacts"]["nodes"][number]

/** So many are offered: who types on finds the rest. */
const OFFERED = 8

/** Contacts whose id, address or name begins as typed; `picked` is the one whose id it is. */
export const usePeople = (text: string) => {
  const { appId } = useApp()
  const wanted = text.trim()
  const rested = useRested(wanted, 300)
  const found = useAsk(
    findContacts,
    { appId, text: rested, isAddress: isAddress(rested), after: null },
    { enabled: rested !== "", keep: true }
  )
  const isKnown = wanted !== "" && rested === wanted && found.data !== undefined && !found.isPlaceholderData
  const people: ReadonlyArray<Person> = [
    ...(found.data?.contacts.nodes ?? []),
    ...(found.data?.byAddress?.nodes ?? []).flatMap(({ contact }) => contact ?? [])
  ].filter(({ id }, i, all) => all.findIndex((other) => other.id === id) === i)
  const picked = people.find(({ externalId }) => externalId === wanted) ?? null
  return { wanted, isKnown, people: isKnown ? people : [], picked, error: found.error }
}

/** Finds one contact: by typing the id, or by picking one of those that begin so. */
export const PersonField = ({
  found: { error, isKnown, people, picked },
  label,
  name,
  onChange,
  value
}: {
  readonly label: string
  readonly name?: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly found: ReturnType<typeof usePeople>
}) => (
  <div className="person-field">
    <TextField
      label={label}
      {...(name && { name })}
      type="search"
      autoComplete="off"
      value={value}
      onChange={onChange}
      placeholder="user-42"
      hint="By how an id, an address or a name begins."
      fault={isKnown && people.length === 0 ? "is that of nobody" : null}
    />
    <ErrorNotice error={error} />
    {picked !== null ? (
      <p className="small" role="status">
        {[picked.externalId, picked.email, picked.locale, picked.timezone, ...picked.tags].filter(Boolean).join(" · ")}
      </p>
    ) : (
      people.length > 0 && (
        <div role="group" aria-label="Contacts that were found" className="picks">
          {people.slice(0, OFFERED).map(({ email, externalId, id }) => (
            <Button key={id} onClick={() => onChange(externalId)}>
              {email === null ? externalId : `${externalId} · ${email}`}
            </Button>
          ))}
          {people.length > OFFERED && <p className="hint">And more: type on.</p>}
        </div>
      )
    )}
  </div>
)
