import { Effect } from "effect"
import type { Accounts } from "../../services/engine/people/Accounts.ts"
import type { AddressChanges } from "../../services/engine/people/AddressChanges.ts"
import type { MutationResolvers, QueryResolvers } from "./generated/resolvers.ts"
import { showAccount, withTimes } from "./PeopleViews.ts"
import { runAs } from "./PeopleWork.ts"
import { clientOf, showBegun, signOut } from "./SessionAnswers.ts"

/* What people do with their own accounts. */

interface Services {
  readonly accounts: Accounts["Service"]
  readonly addressChanges: AddressChanges["Service"]
  /** Whether cookies are for TLS alone. */
  readonly isSecure: boolean
}

const queries = ({ accounts }: Services) =>
  ({
    me: (_, _args, { person }) => (person === null ? null : showAccount(person.account)),
    exportMyAccountData: (_, args, context) =>
      runAs(context, args, (person) => Effect.map(accounts.exportData(person), withTimes))
  }) satisfies QueryResolvers

const mutations = ({ accounts, addressChanges, isSecure }: Services) =>
  ({
    renameAccount: (_, args, context) =>
      runAs(context, args, (person) => Effect.map(accounts.rename(person, args.name), showAccount)),
    requestEmailChange: (_, args, context) =>
      runAs(context, args, (person) => Effect.as(addressChanges.request(person, args.email, clientOf(context)), true)),
    changeEmail: (_, args, context) =>
      runAs(context, args, (person) =>
        Effect.map(
          addressChanges.confirm(person, { old: args.code, new: args.newCode }, clientOf(context)),
          (session) => showBegun(context, session, isSecure)
        )
      ),
    deleteAccount: (_, args, context) =>
      signOut(context, (person) => accounts.deleteAccount(person, args.code), isSecure)
  }) satisfies MutationResolvers

export const makeAccountFields = (services: Services) => ({ Query: queries(services), Mutation: mutations(services) })
