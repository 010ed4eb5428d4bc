import { Context, Effect, Layer, Option } from "effect"
import type { Person } from "../../domain/people/Account.ts"
import type { AddressProof } from "../../domain/people/SignInCode.ts"
import {
  CODE_LIFETIME_MS,
  codeIn,
  CODES_PER_ADDRESS,
  CODES_PER_CLIENT,
  WRONG_CODES
} from "../../domain/people/SignInCode.ts"
import type { AddressTaken } from "../../ports/people/AddressChangeStore.ts"
import { AddressChangeStore } from "../../ports/people/AddressChangeStore.ts"
import type { TooManyCodes } from "../../ports/people/LoginCodeStore.ts"
import { SignInSecrets } from "../../ports/people/SignInSecrets.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { asPerson } from "./asPerson.ts"
import type { Client } from "./codes.ts"
import { WrongCode } from "./codes.ts"
import { addressIn, InvalidField } from "./Fields.ts"
import { NOTICE_MS } from "./MailTexts.ts"
import type { NewSession, NewSessionNeeds } from "./newSessions.ts"
import { newSessions } from "./newSessions.ts"
import { ServiceMails } from "./ServiceMails.ts"

/** Another address for an account: a code to the one that it has, another to the one that it is to have. */
export class AddressChanges extends Context.Service<
  AddressChanges,
  {
    /**
     * Sends both codes. The answer, and how long it takes, are the same whether another account has the address or not.
     * One change is under way at a time: the codes before are void.
     */
    readonly request: (
      person: Person,
      email: string,
      client: Client
    ) => Effect.Effect<void, InvalidField | TooManyCodes | StoreError>
    /**
     * Changes the address, ends all sessions of the account, and begins one for whoever has given both codes. Codes that
     * were sent before, to either address, are good for nothing from then on; whoever reads the mail of the old one is told.
     */
    readonly confirm: (
      person: Person,
      codes: { readonly old: string; readonly new: string },
      client: Pick<Client, "device"> & { readonly userAgent: string }
    ) => Effect.Effect<NewSession, WrongCode | AddressTaken | TooManyCodes | StoreError>
  }
>()("heliograph/engine/AddressChanges") {
  static readonly layer: Layer.Layer<AddressChanges, never, AddressChangeStore | NewSessionNeeds | ServiceMails> =
    Layer.effect(
      AddressChanges,
      Effect.gen(function* () {
        const mails = yield* ServiceMails
        const secrets = yield* SignInSecrets
        const sessions = yield* newSessions
        const store = yield* AddressChangeStore

        /** Both are of the account's present address: a row of the account's own says which one is to come. */
        const hashes = ({ account }: Person, proof: AddressProof, code: string) =>
          secrets.codeHashes(proof, account.email, code)

        const request: AddressChanges["Service"]["request"] = Effect.fnUntraced(function* (person, text, client) {
          const { account } = person
          const email = yield* addressIn(text)
          if (email === account.email) {
            return yield* new InvalidField({ field: "email", message: "is the address that the account has" })
          }
          const [old, fresh] = [secrets.newCode(), secrets.newCode()]
          const keyOf = (proof: AddressProof, address: string) => ({
            key: secrets.attemptKey("codes", `${proof} ${address}`),
            allowances: CODES_PER_ADDRESS
          })
          yield* asPerson(person)(
            store.begin({
              account,
              email,
              oldHash: hashes(person, "old_address", old)[0],
              newHash: hashes(person, "new_address", fresh)[0],
              lifetimeMs: CODE_LIFETIME_MS,
              counted: [
                keyOf("old_address", account.email),
                keyOf("new_address", email),
                { key: secrets.attemptKey("client", client.address), allowances: CODES_PER_CLIENT }
              ],
              mails: [
                mails.draft(account.email, { type: "old_address_code", code: old, email }, CODE_LIFETIME_MS),
                mails.draft(email, { type: "new_address_code", code: fresh }, CODE_LIFETIME_MS)
              ]
            })
          )
          yield* mails.wake
        })

        const confirm: AddressChanges["Service"]["confirm"] = Effect.fnUntraced(function* (person, codes, client) {
          const { account } = person
          const [old, fresh] = [codeIn(codes.old), codeIn(codes.new)]
          if (old === null || fresh === null) return yield* new WrongCode()
          const session = sessions.draft(client.userAgent)
          const changed = yield* asPerson(person)(
            store.finish({
              account,
              oldHashes: hashes(person, "old_address", old),
              newHashes: hashes(person, "new_address", fresh),
              wrong: { key: secrets.attemptKey("wrong", `address of ${account.id}`), allowances: WRONG_CODES },
              session,
              notice: (email) => mails.draft(account.email, { type: "address_changed", email }, NOTICE_MS)
            })
          )
          if (Option.isNone(changed)) return yield* new WrongCode()
          yield* mails.wake
          return sessions.finished(session.id, changed.value, client.device)
        })

        return AddressChanges.of({ request, confirm })
      })
    )
}
