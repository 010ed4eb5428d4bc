import { Effect } from "effect"
import type { ApplicationSecrets } from "../domain/Application.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import { ApplicationStore } from "../ports/ApplicationStore.ts"
import { Keys } from "../ports/Keys.ts"

/** Characters of a key that may be shown later, to tell keys apart: too few to be of use to anyone. */
const HINT = 8

/** Makes an application with a key of each kind. Its secrets are in the answer and nowhere else in plaintext. */
export const createApplication = Effect.fnUntraced(function* (name: string) {
  const store = yield* ApplicationStore
  const keys = yield* Keys
  const secretKey = keys.generate("secret")
  const publicKey = keys.generate("public")
  const identitySecret = keys.secret()
  const keyOf = (kind: "secret" | "public", text: string) => ({
    id: uuidv7() as ApiKeyId,
    kind,
    hash: keys.hash(text),
    hint: text.slice(0, HINT)
  })
  const application = yield* store.create({
    id: uuidv7() as AppId,
    organizationId: uuidv7() as OrganizationId,
    name,
    identitySecret,
    keys: [keyOf("secret", secretKey), keyOf("public", publicKey)]
  })
  const secrets: ApplicationSecrets = { appId: application.id, secretKey, publicKey, identitySecret }
  return secrets
})
