import { makeAccountFields } from "./AccountFields.ts"
import { makeOrganizationFields } from "./OrganizationFields.ts"
import { makeSignInFields } from "./SignInFields.ts"

/*
 * What people do: sign in, have accounts, belong to organizations. Fields ask the engine's services, which say what a role
 * may do; a secret key has all rights over its application and none over people.
 */

export type PeopleServices = Parameters<typeof makeAccountFields>[0] &
  Parameters<typeof makeOrganizationFields>[0] &
  Parameters<typeof makeSignInFields>[0]

/** Fields that need neither key nor session. */
const FOR_ANYBODY: ReadonlySet<string> = new Set(["requestLoginCode", "verifyLoginCode", "invitation", "signInOptions"])

/** Whether an operation with these fields is answered to whoever is signed out. */
export const isForAnybody = (roots: ReadonlySet<string>): boolean => {
  const asked = [...roots].filter((name) => name !== "__typename")
  return asked.length > 0 && asked.every((name) => FOR_ANYBODY.has(name))
}

export const makePeopleFields = (services: PeopleServices) => {
  const [account, organizations, signIn] = [
    makeAccountFields(services),
    makeOrganizationFields(services),
    makeSignInFields(services)
  ]
  return {
    Query: { ...signIn.Query, ...account.Query, ...organizations.Query },
    Mutation: { ...signIn.Mutation, ...account.Mutation, ...organizations.Mutation },
    Account: signIn.Account
  }
}
export type PeopleFields = ReturnType<typeof makePeopleFields>
