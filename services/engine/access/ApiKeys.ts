import { Effect, Option } from "effect"
import type { ApiKeyInfo, Application, CreateApiKey, KeyKind } from "../../domain/access/Application.ts"
import type { ApiKeyId, AppId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { NewApiKey, TooManyKeys } from "../../ports/access/ApplicationStore.ts"
import { ApplicationStore } from "../../ports/access/ApplicationStore.ts"
import { Keys } from "../../ports/access/Keys.ts"
import type { StoreError } from "../../ports/StoreError.ts"

/** Characters of a key that may be shown later, to tell keys apart: too few to be of use to anyone. */
const HINT = 8

/** A new key: its text, to be shown this once, and what is kept of it. */
export const draftKey = (
  keys: Keys["Service"],
  kind: KeyKind,
  name: string
): { readonly text: string; readonly kept: NewApiKey } => {
  const text = keys.generate(kind)
  return { text, kept: { id: uuidv7() as ApiKeyId, kind, name, hash: keys.hash(text), hint: text.slice(0, HINT) } }
}

/** Makes a key. Its text is in the answer and nowhere else. */
export const issueKey = Effect.fnUntraced(function* (
  appId: AppId,
  { kind, name }: CreateApiKey
): Effect.fn.Return<
  { readonly key: string; readonly info: ApiKeyInfo },
  TooManyKeys | StoreError,
  ApplicationStore | Keys
> {
  const { kept, text } = draftKey(yield* Keys, kind, name)
  const store = yield* ApplicationStore
  return { key: text, info: yield* store.createKey(appId, kept) }
})

/** Replaces the identity secret (spec 5.3). It is in the answer and nowhere else in plaintext. */
export const reissueIdentitySecret = Effect.fnUntraced(function* (
  appId: AppId,
  overlapMs: number
): Effect.fn.Return<
  Option.Option<{ readonly secret: string; readonly application: Application }>,
  StoreError,
  ApplicationStore | Keys
> {
  const secret = (yield* Keys).secret()
  const store = yield* ApplicationStore
  return Option.map(yield* store.setIdentitySecret(appId, secret, overlapMs), (application) => ({
    secret,
    application
  }))
})
