import type { Account, ExternalSignIn } from "../../services/domain/people/Account.ts"
import type { Invitation, Member, Organization } from "../../services/domain/people/Organization.ts"
import type { PeopleLogEntry } from "../../services/domain/people/PeopleLogEntry.ts"
import type { Operation, Role } from "../../services/domain/people/Role.ts"
import { mayDo, OPERATIONS } from "../../services/domain/people/Role.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { snakeCase } from "./Names.ts"

/* What people, and what belongs to them, look like in the schema. */

export const showAccount = ({ createdAt, email, id, name }: Account) => ({
  id,
  email,
  name,
  createdAt: isoTime(createdAt)
})

const operations = Object.keys(OPERATIONS) as ReadonlyArray<Operation>

export const showOrganization = ({ createdAt, id, name, plan }: Organization, role: Role | null) => ({
  id,
  name,
  plan,
  role,
  may:
    role === null
      ? []
      : operations.filter((operation) => mayDo(role, operation)).map((operation) => snakeCase(operation)),
  createdAt: isoTime(createdAt)
})

export const showMember = ({ joinedAt, ...member }: Member) => ({ ...member, joinedAt: isoTime(joinedAt) })

export const showInvitation = ({ createdAt, expiresAt, ...invitation }: Invitation) => ({
  ...invitation,
  createdAt: isoTime(createdAt),
  expiresAt: isoTime(expiresAt)
})

export const showEntry = ({
  accountId,
  action,
  actorEmail,
  actorId,
  actorKind,
  at,
  details,
  email,
  id,
  target
}: PeopleLogEntry) => ({
  id,
  at: isoTime(at),
  accountId,
  email,
  actor: { kind: actorKind, id: actorId, email: actorEmail },
  action,
  target,
  details
})

export const showExternal = ({ createdAt, email, id, lastUsedAt, provider }: ExternalSignIn) => ({
  id,
  provider,
  email,
  createdAt: isoTime(createdAt),
  lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt)
})

/** Moments in words, at any depth: fields whose names end in `At`, and `at`. */
export const withTimes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withTimes)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === "number" && /^at$|At$/.test(name) ? isoTime(one) : withTimes(one)
    ])
  )
}
