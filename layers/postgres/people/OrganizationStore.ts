import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, OrganizationId } from "../../../services/domain/Ids.ts"
import {
  APPLICATIONS_PER_ORGANIZATION,
  ORGANIZATIONS_PER_ACCOUNT
} from "../../../services/domain/people/Organization.ts"
import type { Role } from "../../../services/domain/people/Role.ts"
import { mayDo } from "../../../services/domain/people/Role.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import {
  NotAllowed,
  NotThere,
  OrganizationHasPayments,
  OrganizationStore,
  TooManyOfThem
} from "../../../services/ports/people/OrganizationStore.ts"
import type { ApplicationRow } from "../access/newApplication.ts"
import { APPLICATION_COLUMNS, applicationOf, insertApplication } from "../access/newApplication.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { uuids } from "../server/columns.ts"
import { pageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"
import { markApplicationDeleted, markDeleted } from "./deleteOrganization.ts"
import { invitationsOver } from "./invitations.ts"
import { changing, lockAs, lockOrganization } from "./lockOrganization.ts"
import { membersOver } from "./members.ts"
import type { OrganizationRow } from "./organizationRows.ts"
import { ORGANIZATION_COLUMNS, organizationOf } from "./organizationRows.ts"
import { recordPeople } from "./peopleEntry.ts"
import { removeDeleted } from "./removeDeleted.ts"

/** Applications that one statement looks up, at most. */
const AT_ONCE = 500

export const layer: Layer.Layer<OrganizationStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  OrganizationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const columns = sql.literal(ORGANIZATION_COLUMNS)

    const create: OrganizationStore["Service"]["create"] = (owner, { id, name, onlyOwners }) =>
      Effect.gen(function* () {
        // The account's row is the lock of how many it has.
        const found = yield* sql`SELECT 1 FROM accounts WHERE id = ${owner} FOR NO KEY UPDATE`
        if (found.length === 0) return yield* new NotThere({ what: "account" })
        if (onlyOwners) {
          const [own] = yield* sql`
            SELECT 1 FROM members m
            CROSS JOIN LATERAL (
              SELECT 1 FROM organizations WHERE id = m.organization_id AND deleted_at IS NULL OFFSET 0
            ) AS o
            WHERE m.account_id = ${owner} AND m.role = 'owner' LIMIT 1`
          if (own === undefined) {
            return yield* new NotAllowed({
              message:
                "Accounts are by invitation here: only who owns an organization makes another. Whoever runs this service can make one for you."
            })
          }
        }
        const { length } = yield* sql`SELECT 1 FROM members WHERE account_id = ${owner}`
        if (length >= ORGANIZATIONS_PER_ACCOUNT) {
          return yield* new TooManyOfThem({ what: "organizations", limit: ORGANIZATIONS_PER_ACCOUNT })
        }
        const [row] = yield* sql<OrganizationRow>`
          INSERT INTO organizations AS o (id, name) VALUES (${id}, ${name}) RETURNING ${columns}`
        yield* sql`INSERT INTO members (organization_id, account_id, role) VALUES (${id}, ${owner}, 'owner')`
        yield* recordPeople(sql, "organization.created", { organization: id, target: id, details: { name } })
        return organizationOf(row!)
      }).pipe(changing(sql, "create"))

    const find: OrganizationStore["Service"]["find"] = (id) =>
      sql<OrganizationRow>`SELECT ${columns} FROM organizations o WHERE o.id = ${id} AND o.deleted_at IS NULL`.pipe(
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), organizationOf)),
        storeError("OrganizationStore.find")
      )

    const of: OrganizationStore["Service"]["of"] = (account) =>
      sql<OrganizationRow & { readonly role: Role }>`
        SELECT ${columns}, m.role FROM members m JOIN organizations o ON o.id = m.organization_id
        WHERE m.account_id = ${account} AND o.deleted_at IS NULL ORDER BY o.id`.pipe(
        Effect.map((rows) => rows.map((row) => ({ organization: organizationOf(row), role: row.role }))),
        storeError("OrganizationStore.of")
      )

    const all: OrganizationStore["Service"]["all"] = (after, limit) =>
      sql<OrganizationRow & { readonly members: number; readonly applications: number }>`
        SELECT ${columns},
          (SELECT count(*)::int FROM members m WHERE m.organization_id = o.id) AS members,
          (SELECT count(*)::int FROM applications a WHERE a.organization_id = o.id) AS applications
        FROM organizations o
        WHERE ${sql.and([sql`o.deleted_at IS NULL`, ...(after === null ? [] : [sql`o.id > ${after}`])])}
        ORDER BY o.id LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) =>
          pageOf(
            rows.map((row) => ({ ...organizationOf(row), members: row.members, applications: row.applications })),
            limit
          )
        ),
        storeError("OrganizationStore.all")
      )

    const rename: OrganizationStore["Service"]["rename"] = (actor, id, name) =>
      Effect.gen(function* () {
        const { role } = yield* lockAs(sql, actor, id)
        if (!mayDo(role, "changeOrganization")) {
          return yield* new NotAllowed({ message: "Only owners change the organization." })
        }
        const [row] = yield* sql<OrganizationRow>`
          UPDATE organizations o SET name = ${name} WHERE o.id = ${id} RETURNING ${columns}`
        yield* recordPeople(sql, "organization.changed", { organization: id, target: id, details: { name } })
        return organizationOf(row!)
      }).pipe(changing(sql, "rename"))

    const remove: OrganizationStore["Service"]["remove"] = (actor, id) =>
      Effect.gen(function* () {
        const { role } = yield* lockAs(sql, actor, id)
        if (!mayDo(role, "deleteOrganization")) {
          return yield* new NotAllowed({ message: "Only owners delete the organization." })
        }
        const paid = yield* sql`SELECT 1 FROM organizations WHERE id = ${id} AND has_payments`
        if (paid.length > 0) return yield* new OrganizationHasPayments({ organizationId: id })
        yield* markDeleted(sql, id)
      }).pipe(changing(sql, "remove"))

    const ofApplications = Effect.fnUntraced(function* (ids: ReadonlyArray<AppId>) {
      const rows = yield* sql<{ readonly app_id: AppId; readonly id: OrganizationId }>`
        SELECT a.id AS app_id, o.id FROM applications a CROSS JOIN LATERAL (
          SELECT id, deleted_at FROM organizations WHERE id = a.organization_id OFFSET 0
        ) AS o WHERE a.id = ANY(${uuids(ids)}) AND o.deleted_at IS NULL`
      const found = new Map(rows.map(({ app_id, id }) => [app_id, id]))
      return ids.map((id) => Option.fromUndefinedOr(found.get(id)))
    }, storeError("OrganizationStore.ofApplication"))

    // The fields of one request ask together.
    const ofApplication: OrganizationStore["Service"]["ofApplication"] = yield* coalesce({
      run: ofApplications,
      weight: () => 1,
      refusalOf: refusalBySql,
      rows: AT_ONCE,
      atOnce: 2
    })

    const applications: OrganizationStore["Service"]["applications"] = (id, after, limit) =>
      sql<ApplicationRow>`
        SELECT ${sql.literal(APPLICATION_COLUMNS)} FROM (
          -- OFFSET 0: not those of all organizations, in the order of their ids.
          SELECT * FROM applications WHERE organization_id = ${id} OFFSET 0
        ) AS theirs ${after === null ? sql`` : sql`WHERE id > ${after}`}
        ORDER BY id LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(applicationOf), limit)),
        storeError("OrganizationStore.applications")
      )

    const createApplication: OrganizationStore["Service"]["createApplication"] = (actor, application) =>
      Effect.gen(function* () {
        const { organizationId: id } = application
        const { role } = yield* lockAs(sql, actor, id)
        if (!mayDo(role, "createApplication")) {
          return yield* new NotAllowed({ message: "Only admins and owners create applications." })
        }
        const { length } = yield* sql`SELECT 1 FROM applications WHERE organization_id = ${id}`
        if (length >= APPLICATIONS_PER_ORGANIZATION) {
          return yield* new TooManyOfThem({ what: "applications", limit: APPLICATIONS_PER_ORGANIZATION })
        }
        return yield* insertApplication(sql, box, application)
      }).pipe(changing(sql, "createApplication"))

    const removeApplication: OrganizationStore["Service"]["removeApplication"] = (actor, id) =>
      Effect.gen(function* () {
        const [application] = yield* sql<{ readonly organization_id: OrganizationId }>`
          SELECT organization_id FROM applications WHERE id = ${id}`
        if (application === undefined) return yield* new NotThere({ what: "application" })
        const { organization_id } = application
        const locked =
          actor === null
            ? Effect.as(lockOrganization(sql, organization_id), null)
            : Effect.map(lockAs(sql, actor, organization_id), ({ role }) => role)
        const role = yield* Effect.catchTag(locked, "NotThere", () => new NotThere({ what: "application" }))
        if (role !== null && !mayDo(role, "deleteApplication")) {
          return yield* new NotAllowed({ message: "Only owners delete an application." })
        }
        yield* markApplicationDeleted(sql, organization_id, id)
      }).pipe(changing(sql, "removeApplication"))

    return OrganizationStore.of({
      create,
      find,
      of,
      all,
      rename,
      remove,
      ofApplication,
      applications,
      createApplication,
      removeApplication,
      ...membersOver(sql),
      ...invitationsOver(sql),
      removeDeleted: removeDeleted(sql)
    })
  })
)
