import type { OrganizationId } from "../../../services/domain/Ids.ts"
import type { Organization } from "../../../services/domain/people/Organization.ts"

export interface OrganizationRow {
  readonly id: OrganizationId
  readonly name: string
  readonly plan: "free"
  readonly created_at: Date
}

/** Of a table of organizations called `o`. */
export const ORGANIZATION_COLUMNS = "o.id, o.name, o.plan, o.created_at"

export const organizationOf = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  createdAt: row.created_at.getTime()
})
