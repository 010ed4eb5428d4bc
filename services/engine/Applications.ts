import { Effect, Option } from "effect"
import type { ApplicationSecrets } from "../domain/Application.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { NewApplication } from "../ports/ApplicationStore.ts"
import { ApplicationStore } from "../ports/ApplicationStore.ts"
import { Keys } from "../ports/Keys.ts"

/** Characters of a key that may be shown later, to tell keys apart: too few to be of use to anyone. */
const HINT = 8

/** What is kept of a new application, and what is shown of it this once. */
const draft = Effect.fnUntraced(function* (name: string) {
  const keys = yield* Keys
  const secretKey = keys.generate("secret")
  const publicKey = keys.generate("public")
  const identitySecret = keys.secret()
  const id = uuidv7() as AppId
  const keyOf = (kind: "secret" | "public", text: string) => ({
    id: uuidv7() as ApiKeyId,
    kind,
    hash: keys.hash(text),
    hint: text.slice(0, HINT)
  })
  const application: NewApplication = {
    id,
    organizationId: uuidv7() as OrganizationId,
    name,
    identitySecret,
    keys: [keyOf("secret", secretKey), keyOf("public", publicKey)]
  }
  const secrets: ApplicationSecrets = { appId: id, secretKey, publicKey, identitySecret }
  return { application, secrets }
})

/** Makes an application with a key of each kind. Its secrets are in the answer and nowhere else in plaintext. */
export const createApplication = Effect.fnUntraced(function* (name: string) {
  const store = yield* ApplicationStore
  const { application, secrets } = yield* draft(name)
  yield* store.create(application)
  return secrets
})

/** The same for the very first one; none when there is an application already. */
export const createFirstApplication = Effect.fnUntraced(function* (name: string) {
  const store = yield* ApplicationStore
  const { application, secrets } = yield* draft(name)
  return Option.as(yield* store.createFirst(application), secrets)
})
