import type { Operation } from "../../services/domain/people/Role.ts"
import type { Somebody, Team } from "./Team.ts"

/*
 * The fields that no operation of the REST API answers: what people do. A row for each, by which it is tried with everybody;
 * a field of the schema without a row fails a test.
 */

type Args = Readonly<Record<string, unknown>>

export interface PeopleRow {
  /** As the schema has it: `Mutation.renameOrganization`. */
  readonly name: string
  /**
   * What the table of roles calls it. `own`: whoever is signed in, with what is theirs alone. `anybody`: whoever is signed
   * out, too, and a secret key.
   */
  readonly needs: Operation | "own" | "anybody"
  /** What it is asked with for a team's own things; `as` is who asks. */
  readonly args: (team: Team, as: Somebody, appId: string) => Args
  /** Whether the session of who asks has ended then. */
  readonly isLast?: boolean
}

const none = () => ({})
const ofTeam = ({ organizationId }: Team) => ({ organizationId })
const ofGuest = ({ guest, organizationId }: Team) => ({ organizationId, accountId: guest.accountId })

export const PEOPLE_ROWS: ReadonlyArray<PeopleRow> = [
  { name: "Query.signInOptions", needs: "anybody", args: none },
  { name: "Query.invitation", needs: "anybody", args: () => ({ token: "none" }) },
  { name: "Mutation.requestLoginCode", needs: "anybody", args: (_, { email }) => ({ email }) },
  {
    name: "Mutation.verifyLoginCode",
    needs: "anybody",
    args: (_, { email }) => ({ email, code: "000000" })
  },

  // A secret key is nobody.
  { name: "Query.me", needs: "anybody", args: none },
  { name: "Query.sessions", needs: "own", args: none },
  { name: "Query.exportMyAccountData", needs: "own", args: none },
  { name: "Query.organizations", needs: "own", args: none },
  { name: "Mutation.renameAccount", needs: "own", args: () => ({ name: "Ada" }) },
  { name: "Mutation.createOrganization", needs: "own", args: () => ({ name: "One more" }) },
  { name: "Mutation.acceptInvitation", needs: "own", args: () => ({ token: "none" }) },
  { name: "Mutation.requestExternalSignInCode", needs: "own", args: none },
  { name: "Mutation.confirmExternalSignIn", needs: "own", args: () => ({ code: "000000" }) },
  {
    name: "Mutation.unbindExternalSignIn",
    needs: "own",
    args: ({ externalSignInId, members }, as) => ({ id: as === members.owner ? externalSignInId : as.sessionId })
  },
  {
    name: "Mutation.requestEmailChange",
    needs: "own",
    args: (_, { accountId }) => ({ email: `${accountId}@example.com` })
  },
  { name: "Mutation.changeEmail", needs: "own", args: () => ({ code: "000000", newCode: "000000" }) },
  { name: "Mutation.deleteAccount", needs: "own", args: () => ({ code: "000000" }) },

  { name: "Query.organization", needs: "read", args: ({ organizationId: id }) => ({ id }) },
  { name: "Query.applications", needs: "read", args: ofTeam },
  { name: "Query.members", needs: "read", args: ofTeam },
  { name: "Query.invitations", needs: "read", args: ofTeam },
  { name: "Query.organizationLog", needs: "read", args: ofTeam },
  {
    name: "Mutation.createApplication",
    needs: "createApplication",
    args: (team) => ({ ...ofTeam(team), name: "Two" })
  },
  {
    name: "Mutation.renameOrganization",
    needs: "changeOrganization",
    args: ({ organizationId: id }) => ({ id, name: "B" })
  },
  {
    name: "Mutation.inviteMember",
    needs: "changeMembers",
    args: (team) => ({ ...ofTeam(team), email: "new@example.com", role: "VIEWER" })
  },
  { name: "Mutation.revokeInvitation", needs: "changeMembers", args: ({ invitationId: id }) => ({ id }) },
  { name: "Mutation.changeRole", needs: "changeMembers", args: (team) => ({ ...ofGuest(team), role: "MEMBER" }) },
  { name: "Mutation.removeMember", needs: "changeMembers", args: ofGuest },
  {
    name: "Mutation.beginImport",
    needs: "changeContacts",
    args: (_, __, appId) => ({ appId, kind: "CONTACTS", file: "people.csv" })
  },
  {
    name: "Mutation.importContacts",
    needs: "changeContacts",
    args: (_, { accountId }, appId) => ({ appId, importId: accountId, contacts: [{ externalId: "one" }] })
  },
  {
    name: "Mutation.registerDevices",
    needs: "changeDevices",
    args: (_, __, appId) => ({ appId, devices: [{ token: "ab", platform: "IOS" }] })
  },

  // What leaves nothing to do for those after it.
  { name: "Mutation.deleteApplication", needs: "deleteApplication", args: (_, __, id) => ({ id }) },
  { name: "Mutation.leaveOrganization", needs: "leaveOrganization", args: ofTeam },
  {
    name: "Mutation.transferOwnership",
    needs: "changeMembers",
    args: ({ members, organizationId }) => ({ organizationId, accountId: members.admin.accountId })
  },
  { name: "Mutation.deleteOrganization", needs: "deleteOrganization", args: ({ organizationId: id }) => ({ id }) },
  { name: "Mutation.endSession", needs: "own", args: (_, { sessionId: id }) => ({ id }), isLast: true },
  { name: "Mutation.logout", needs: "own", args: none, isLast: true },
  { name: "Mutation.signOutEverywhere", needs: "own", args: none, isLast: true }
]
