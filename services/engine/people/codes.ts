import { Effect, Schema } from "effect"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { CodePurpose } from "../../domain/people/SignInCode.ts"
import {
  CODE_LIFETIME_MS,
  codeIn,
  CODES_PER_ADDRESS,
  CODES_PER_CLIENT,
  WRONG_CODES
} from "../../domain/people/SignInCode.ts"
import type { CodeAttempt, TooManyCodes } from "../../ports/people/LoginCodeStore.ts"
import { LoginCodeStore } from "../../ports/people/LoginCodeStore.ts"
import { SignInSecrets } from "../../ports/people/SignInSecrets.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { ServiceMails } from "./ServiceMails.ts"

/** Wrong, used, too old, tried too often, or never sent. Whoever asks learns no more. */
export class WrongCode extends Schema.TaggedError<WrongCode>()("WrongCode", {}) {}

/** Where a request comes from. */
export interface Client {
  /** What is counted as one client of the network: src/http/pipeline/ClientAddress.ts. */
  readonly address: string
  /** The token of a browser that has signed in before, if it sent one. */
  readonly device: string | null
}

export type CodeNeeds = LoginCodeStore | ServiceMails | SignInSecrets

export interface Codes {
  /** Sends a code, and answers it. Without a client it is an operator's: nothing is mailed or counted. */
  readonly issue: (
    email: AccountAddress,
    purpose: CodePurpose,
    client: Client | null
  ) => Effect.Effect<string, TooManyCodes | StoreError>
  /** A code as somebody wrote it, for the store to try. `device`: as of `Client`. */
  readonly attempt: (
    email: AccountAddress,
    purpose: CodePurpose,
    text: string,
    device: string | null
  ) => Effect.Effect<CodeAttempt, WrongCode>
}

/** Codes that are mailed to one address, and prove that whoever gives them reads its mail. */
export const makeCodes: Effect.Effect<Codes, never, CodeNeeds> = Effect.gen(function* () {
  const store = yield* LoginCodeStore
  const mails = yield* ServiceMails
  const secrets = yield* SignInSecrets
  const deviceOf = (email: AccountAddress, token: string | null) =>
    token === null ? null : secrets.deviceOf(email, token)

  const issue: Codes["issue"] = Effect.fnUntraced(function* (email, purpose, client) {
    const code = secrets.newCode()
    const device = deviceOf(email, client?.device ?? null)
    const key =
      device === null
        ? secrets.attemptKey("codes", `${purpose} ${email}`)
        : secrets.attemptKey("device", `${purpose} ${email} ${device}`)
    yield* store.issue({
      email,
      purpose,
      hash: secrets.codeHashes(purpose, email, code)[0],
      lifetimeMs: CODE_LIFETIME_MS,
      ofOperator: client === null,
      counted:
        client === null
          ? []
          : [
              { key, allowances: CODES_PER_ADDRESS },
              { key: secrets.attemptKey("client", client.address), allowances: CODES_PER_CLIENT }
            ],
      mail: client === null ? null : mails.draft(email, { type: "code", purpose, code }, CODE_LIFETIME_MS)
    })
    if (client !== null) yield* mails.wake
    return code
  })

  const attempt: Codes["attempt"] = Effect.fnUntraced(function* (email, purpose, text, token) {
    const digits = codeIn(text)
    if (digits === null) return yield* new WrongCode()
    const device = deviceOf(email, token)
    return {
      email,
      purpose,
      hashes: secrets.codeHashes(purpose, email, digits),
      wrong: {
        key:
          device === null
            ? secrets.attemptKey("wrong", email)
            : secrets.attemptKey("wrong_device", `${email} ${device}`),
        allowances: WRONG_CODES
      }
    }
  })

  return { issue, attempt }
})
