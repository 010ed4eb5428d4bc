import { useAsk } from "../api/hooks.ts"
import { useOrganization } from "../frame/viewer.ts"
import { ORGANIZATION_ACTIONS } from "./actions.ts"
import { Log, useLogFilter } from "./Log.tsx"
import { useMembers } from "./members.ts"
import { organizationLog } from "./operations.ts"

/** Who changed what in the organization. */
export const OrganizationLog = () => {
  const { organization } = useOrganization()
  const filter = useLogFilter(ORGANIZATION_ACTIONS)
  const { data, error, refetch } = useAsk(
    organizationLog,
    { organizationId: organization.id, ...filter },
    { keep: true }
  )
  return (
    <Log
      title={`Log of ${organization.name}`}
      shown={{ data: data?.organizationLog, error, refetch }}
      actions={ORGANIZATION_ACTIONS}
      actors={useMembers(organization.id)}
    >
      Members and their roles, invitations, the organization's name and its applications, each of which has an audit log
      of its own.
    </Log>
  )
}
