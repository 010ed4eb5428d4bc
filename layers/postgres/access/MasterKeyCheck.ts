import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schedule, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { CredentialKind } from "../../../services/domain/sending/Credential.ts"
import type { AppId, WebhookId } from "../../../services/domain/Ids.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import { secretPlace as ofApplication } from "./newApplication.ts"
import { place as ofCredential } from "../sending/CredentialStore.ts"
import { secretPlace as ofWebhook } from "../webhooks/WebhookStore.ts"

/*
 * Whether the master key at hand is the one that sealed this database's secrets. The first start records a known text
 * sealed with its key; each later one opens it, and refuses to go on when it cannot: it would seal new secrets that
 * nobody else can read, and find all old ones unreadable, one message after the other.
 */

/** The key ids are hashes: they tell keys apart and say nothing about them. */
export class WrongMasterKey extends Schema.TaggedError<WrongMasterKey>()("WrongMasterKey", {
  given: Schema.String,
  needed: Schema.String,
  /** Whether the one that is needed is there, as a line of `master.key`. */
  isThere: Schema.Boolean
}) {
  override get message() {
    const wrong = `The master key is not the one that sealed this database's secrets: it has the id ${this.given}, needed is ${this.needed}`
    return this.isThere
      ? `${wrong}, which is a line of master.key in DATA_DIR. Start without MASTER_KEY, or give that one. Is the given one to replace it? Then add it as a line to master.key as well, on all nodes, before it seals anything.`
      : `${wrong}. Give the right one in MASTER_KEY, or as a line of master.key in DATA_DIR.`
  }
}

const PLACE = "master_key_check.sealed:1"
const TEXT = "heliograph"

type Sealed = readonly [place: string, sealed: Uint8Array]

/** One secret of each kind: enough to know a key by in a database of a release that recorded none. */
const samples = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [application] = yield* sql<{ readonly id: AppId; readonly sealed: Uint8Array }>`
    SELECT id, identity_secret AS sealed FROM applications WHERE identity_secret IS NOT NULL ORDER BY id DESC LIMIT 1`
  const [webhook] = yield* sql<{ readonly id: WebhookId; readonly sealed: Uint8Array }>`
    SELECT id, secret AS sealed FROM webhooks WHERE secret IS NOT NULL ORDER BY id DESC LIMIT 1`
  const [credential] = yield* sql<{
    readonly app_id: AppId
    readonly kind: CredentialKind
    readonly sealed: Uint8Array
  }>`SELECT app_id, kind, sealed FROM credentials ORDER BY updated_at DESC LIMIT 1`
  const found: Array<Sealed> = []
  if (application !== undefined) found.push([ofApplication(application.id), application.sealed])
  if (webhook !== undefined) found.push([ofWebhook(webhook.id), webhook.sealed])
  if (credential !== undefined) found.push([ofCredential(credential.app_id, credential.kind), credential.sealed])
  return found
})

const recorded = (sql: PgClient.PgClient) =>
  Effect.map(sql<{ readonly sealed: Uint8Array }>`SELECT sealed FROM master_key_check`, (rows): ReadonlyArray<Sealed> =>
    rows.map(({ sealed }) => [PLACE, sealed])
  )

/** What is there to know the key by; empty in a database that holds no secret yet. */
const evidence = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const check = yield* recorded(sql)
  return check.length > 0 ? check : yield* samples(sql)
})

const judge = Effect.fnUntraced(function* (all: ReadonlyArray<Sealed>) {
  const box = yield* SecretBox
  const [first] = all
  if (first === undefined) return
  const wrong = { given: box.keyId, needed: box.keyIdOf(first[1]) }
  const opened = yield* Effect.forEach(all, ([place, sealed]) => Effect.option(box.open(place, sealed)))
  if (opened.every(Option.isNone)) return yield* new WrongMasterKey({ ...wrong, isThere: false })
  // What is sealed from now on could be read by nobody who starts without it again.
  if (!box.mayReplace && all.every(([, sealed]) => box.keyIdOf(sealed) !== box.keyId)) {
    return yield* new WrongMasterKey({ ...wrong, isThere: true })
  }
})

/** What is sealed with other keys than the one that seals now. */
export interface SealedOtherwise {
  /** In words, in the plural. */
  readonly what: string
  readonly keyId: string
  readonly count: number
  /** Whether the key is there, as a line of `master.key`. */
  readonly isKnown: boolean
}

/** Looks at the head of everything that is sealed, and opens nothing. */
export const sealedOtherwise: Effect.Effect<
  ReadonlyArray<SealedOtherwise>,
  SqlError,
  PgClient.PgClient | SecretBox
> = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const box = yield* SecretBox
  const rows = yield* sql<Omit<SealedOtherwise, "isKnown">>`
    SELECT what, encode(key, 'hex') AS "keyId", count(*)::integer AS count FROM (
      SELECT 'credentials' AS what, substr(sealed, 2, 4) AS key FROM credentials
      UNION ALL SELECT 'identity secrets', substr(identity_secret, 2, 4) FROM applications
      UNION ALL SELECT 'identity secrets', substr(former_identity_secret, 2, 4) FROM applications
        WHERE former_identity_until > now()
      UNION ALL SELECT 'webhook secrets', substr(secret, 2, 4) FROM webhooks
      UNION ALL SELECT 'webhook secrets', substr(f.secret, 2, 4) FROM webhooks
        CROSS JOIN LATERAL unnest(former_secrets, former_until) AS f (secret, until) WHERE f.until > now()
      UNION ALL SELECT 'headers of workflows', substr(headers, 2, 4) FROM workflow_versions
      UNION ALL SELECT 'mails of the service', substr(sealed, 2, 4) FROM service_mails
    ) AS sealed WHERE key <> ${Buffer.from(box.keyId, "hex")}::bytea GROUP BY 1, 2 ORDER BY count DESC, 1, 2`.unprepared
  return rows.map((row) => ({ ...row, isKnown: box.keyIds.includes(row.keyId) }))
})

/**
 * Fails when this master key opens nothing of what the database holds, or would replace the one that sealed it and was
 * never said to. Answers whether there was anything to know it by.
 * Changes nothing.
 */
export const look: Effect.Effect<boolean, WrongMasterKey | SqlError, PgClient.PgClient | SecretBox> = Effect.gen(
  function* () {
    const all = yield* evidence(yield* PgClient.PgClient)
    yield* judge(all)
    return all.length > 0
  }
)

/**
 * The same, and records the key where none is recorded yet, or a former one that still opens: after a rotation the key
 * that seals now is the one to know the others by. Nodes that start at once agree on the first of them.
 */
export const confirm: Effect.Effect<void, WrongMasterKey | SqlError, PgClient.PgClient | SecretBox> = Effect.gen(
  function* () {
    const sql = yield* PgClient.PgClient
    const box = yield* SecretBox
    yield* judge(yield* evidence(sql))
    yield* sql`
      INSERT INTO master_key_check (id, sealed) VALUES (1, ${box.seal(PLACE, TEXT)}) ON CONFLICT (id) DO NOTHING`
    const now = yield* recorded(sql)
    yield* judge(now)
    const former = now[0]![1]
    if (box.keyIdOf(former) !== box.keyId) {
      yield* sql`
        UPDATE master_key_check SET sealed = ${box.seal(PLACE, TEXT)}, recorded_at = now() WHERE sealed = ${former}`
    }
  }
)

/** Lets nobody use the database with another master key than its own. */
export const layer: Layer.Layer<never, WrongMasterKey | SqlError, PgClient.PgClient | SecretBox> = Layer.effectDiscard(
  confirm.pipe(
    Effect.retry({
      // The database that answered a moment ago may be restarting.
      while: (error) => error._tag === "SqlError" && error.isRetryable,
      schedule: Schedule.spaced("1 second")
    })
  )
)
