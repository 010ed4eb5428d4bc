import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { APPLICATION_ACTIONS } from "./actions.ts"
import { Log, useLogFilter } from "./Log.tsx"
import { useMembers } from "./members.ts"
import { apiKeys, audit } from "./operations.ts"

/** Who changed what in the application. */
export const Audit = () => {
  const { appId, organization } = useApp()
  const filter = useLogFilter(APPLICATION_ACTIONS)
  const { data, error, refetch } = useAsk(audit, { appId, ...filter }, { keep: true })
  const members = useMembers(organization.id)
  const keys = useAsk(apiKeys, { appId, first: 100 })
  const secret = (keys.data?.apiKeys.nodes ?? []).filter(({ kind }) => kind === "SECRET")
  return (
    <Log
      title="Audit log"
      shown={{ data: data?.auditLog, error, refetch }}
      actions={APPLICATION_ACTIONS}
      actors={[...members, ...secret.map(({ id, name, prefix }) => [id, `${name} (${prefix}…)`] as const)]}
    >
      Everything that people change or send in this application. Of API keys: what they configure, send to audiences,
      import and delete.
    </Log>
  )
}
