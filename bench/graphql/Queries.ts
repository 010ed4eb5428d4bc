/* What is asked of every server of the GraphQL benchmark. */

export const CONTACTS = `query Contacts($appId: ID!, $first: Int) {
  contacts(appId: $appId, first: $first) {
    edges { cursor node { id externalId email tags locale createdAt } }
    pageInfo { hasNextPage endCursor }
  }
}`

export const CREATE_HOOK = `mutation CreateHook($appId: ID!, $input: HookInput!) {
  createHook(appId: $appId, input: $input) { id name url events isActive }
}`

export const DELETE_HOOK = "mutation DeleteHook($id: ID!) { deleteHook(id: $id) }"

/** Objects of a page. */
export const PAGE = 100
