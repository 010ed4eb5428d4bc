import { useAsk } from "../api/hooks.ts"
import type { Actors } from "./Log.tsx"
import { team } from "./operations.ts"

/** The members of an organization, by the ids of their accounts. */
export const useMembers = (organizationId: string): Actors => {
  const { data } = useAsk(team, { organizationId, first: 100 })
  return (data?.members.nodes ?? []).map(({ accountId, email }) => [accountId, email] as const)
}
