import { Effect } from "effect"
import { Client } from "pg"
import type { AccountId, OrganizationId } from "../../services/domain/Ids.ts"
import type { Role } from "../../services/domain/people/Role.ts"
import { ROLES } from "../../services/domain/people/Role.ts"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { OrganizationStore } from "../../services/ports/people/OrganizationStore.ts"
import { commands } from "../../src/app.ts"
import type { System } from "../System.ts"

/** Everybody that there may be in an organization, with a session each, and requests with those. */

export interface Somebody {
  readonly email: string
  readonly accountId: AccountId
  readonly sessionId: string
  readonly token: string
}

export interface Team {
  readonly organizationId: OrganizationId
  readonly members: Readonly<Record<Role, Somebody>>
  /** A member whom others may change, and remove. */
  readonly guest: Somebody
  readonly invitationId: string
  /** Of the owner. */
  readonly externalSignInId: string
}

const everything = <A, E>(system: System, work: Effect.Effect<A, E, SignIn | OrganizationStore>): Promise<A> =>
  Effect.runPromise(work.pipe(Effect.provide(commands(system.env))))

let people = 0
const signedIn = Effect.fnUntraced(function* (name: string) {
  const signIn = yield* SignIn
  const email = `${name}-${++people}@example.com`
  const code = yield* signIn.codeForOperator(email, "sign_in")
  const { account, sessionId, token } = yield* signIn.verifyCode(email, code, { device: null, userAgent: "" })
  return { email, accountId: account.id, sessionId, token }
})

/** Somebody who belongs to no organization but their own. */
export const somebody = (system: System): Promise<Somebody> => everything(system, signedIn("somebody"))

/** An organization of its own, with one of everything; it gets the application, if one is named. */
export const makeTeam = async (system: System, appId?: string): Promise<Team> => {
  const made = await everything(
    system,
    Effect.gen(function* () {
      const organizations = yield* OrganizationStore
      const founder = yield* signedIn("founder")
      const { id } = yield* organizations.create(founder.accountId, {
        id: uuidv7() as OrganizationId,
        name: "A team",
        onlyOwners: false
      })
      const enrolled = Effect.fnUntraced(function* (role: Role, name: string) {
        const one = yield* signedIn(name)
        yield* organizations.enrol(id, one.accountId, role)
        return one
      })
      const members = {} as Record<Role, Somebody>
      for (const role of ROLES) members[role] = yield* enrolled(role, role)
      return { organizationId: id, members, guest: yield* enrolled("viewer", "guest") }
    })
  )
  const { members, organizationId } = made
  const [invitationId, externalSignInId] = [uuidv7(), uuidv7()]
  const client = new Client({ connectionString: system.env["DATABASE_URL"]! })
  await client.connect()
  await client.query(
    `INSERT INTO invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
     VALUES ($1::uuid, $2, $1::uuid::text || '@example.com', 'viewer', sha256($1::uuid::text::bytea), $3, now() + interval '1 day')`,
    [invitationId, organizationId, members.owner.accountId]
  )
  await client.query(
    "INSERT INTO external_sign_ins (provider, subject, id, account_id) VALUES ('google', $1::uuid::text, $1::uuid, $2)",
    [externalSignInId, members.owner.accountId]
  )
  if (appId !== undefined) {
    await client.query("UPDATE applications SET organization_id = $1 WHERE id = $2", [organizationId, appId])
  }
  await client.end()
  return { ...made, invitationId, externalSignInId }
}
