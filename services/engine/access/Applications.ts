import { Effect, Option } from "effect"
import type { ApplicationSecrets } from "../../domain/access/Application.ts"
import type { AppId, OrganizationId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { NewApplication } from "../../ports/access/ApplicationStore.ts"
import { ApplicationStore } from "../../ports/access/ApplicationStore.ts"
import { Keys } from "../../ports/access/Keys.ts"
import { draftKey } from "./ApiKeys.ts"

/** The names of the keys that an application begins with. */
const FIRST_KEYS = { secret: "First secret key", public: "First public key" }

/** What is kept of a new application, and what is shown of it this once. */
export const draftApplication = (
  keys: Keys["Service"],
  organizationId: OrganizationId,
  name: string
): { readonly application: NewApplication; readonly secrets: ApplicationSecrets } => {
  const secretKey = draftKey(keys, "secret", FIRST_KEYS.secret)
  const publicKey = draftKey(keys, "public", FIRST_KEYS.public)
  const identitySecret = keys.secret()
  const id = uuidv7() as AppId
  const application: NewApplication = {
    id,
    organizationId,
    name,
    identitySecret,
    keys: [secretKey.kept, publicKey.kept]
  }
  const secrets: ApplicationSecrets = {
    appId: id,
    secretKey: secretKey.text,
    publicKey: publicKey.text,
    identitySecret
  }
  return { application, secrets }
}

/** Of the operators' organization, which has this id if it is made with the application. */
const draft = (name: string) => Effect.map(Keys, (keys) => draftApplication(keys, uuidv7() as OrganizationId, name))

/** Makes an application with a key of each kind. Its secrets are in the answer and nowhere else in plaintext. */
export const createApplication = Effect.fnUntraced(function* (name: string) {
  const store = yield* ApplicationStore
  const { application, secrets } = yield* draft(name)
  yield* store.create(application)
  return secrets
})

/** The same for the very first one; none when the database is not new. */
export const createFirstApplication = Effect.fnUntraced(function* (name: string) {
  const store = yield* ApplicationStore
  const { application, secrets } = yield* draft(name)
  return Option.map(yield* store.createFirst(application), ({ organizationId }) => ({ ...secrets, organizationId }))
})
